import Fixtures
import Foundation
import Streams
import StreamsTesting
import Testing

@testable import HTTPTransport
@testable import RESTKit

@Suite("Compression of bytes to a gzip file")
struct GzipEncoderTests {
  /// Returns the output of the response decoder for a gzip file.
  static func decoded(_ file: Data) throws -> Data {
    #if os(Linux)
      var limits = TransportLimits()
      limits.expansionRatio = 100_000
      let decoder = try #require(
        try ContentDecoder(["Content-Encoding": "gzip"], limits: limits))
      var output = Data()
      let result = file.withUnsafeBytes { bytes in
        Result { () throws(TransportError) in
          try decoder.push(bytes) { (piece) throws(TransportError) in
            output.append(contentsOf: piece)
          }
        }
      }
      try result.get()
      #expect(decoder.faultAtEnd == nil)
      return output
    #else
      return file
    #endif
  }

  @Test("The checksum is that of ISO 3309")
  func checksum() {
    var checksum = CRC32()
    #expect(checksum.value == 0)
    Data("1234".utf8).withUnsafeBytes { checksum.add($0) }
    Data("56789".utf8).withUnsafeBytes { checksum.add($0) }
    #expect(checksum.value == 0xCBF4_3926)
  }

  @Test("Equal bytes give equal files, which begin as RFC 1952 says")
  func header() throws {
    let data = Data(repeating: 65, count: 10_000)
    let file = try #require(try GzipEncoder.encode(data))
    #expect(Array(file.prefix(10)) == [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255])
    #expect(file.count < 100)
    #expect(try GzipEncoder.encode(data) == file)
    #expect(try Self.decoded(file) == data)
  }

  @Test("No bytes give a whole file, too")
  func empty() throws {
    let file = try #require(try GzipEncoder.encode(Data()))
    #expect(try Self.decoded(file).isEmpty)
  }

  @Test("Any bytes in any pieces are restored by decompression", arguments: Fuzz.seeds)
  func pieces(seed: UInt64) throws {
    try Fuzz.run(seed, cases: 40) { generator, drawn in
      let alphabet = UInt8(generator.number(1...255))
      let bytes = (0..<generator.number(0...200_000)).map { _ in
        UInt8.random(in: 0...alphabet, using: &generator)
      }
      let encoder = try #require(GzipEncoder())
      var file = Data()
      for piece in generator.cut(bytes, pieces: generator.number(0...5)) {
        file += try encoder.encode(Data(piece))
      }
      file += try encoder.finish()
      guard try Self.decoded(file) == Data(bytes) else {
        return drawn.fail("\(bytes.count) bytes come out otherwise")
      }
    }
  }

  @Test("A publisher's chunks become a file anew for each subscription, and its failure passes")
  func publisher() throws {
    let chunks = [Data("one ".utf8), Data(), Data("two".utf8)].publisher
      .setFailureType(to: (any Error).self)
    let gzipped = chunks.gzipped()
    for _ in 1...2 {
      let subscriber = TestSubscriber<Data, any Error>()
      gzipped.receive(subscriber: subscriber)
      #expect(subscriber.isFinished)
      #expect(subscriber.values.count == 4)
      let file = subscriber.values.reduce(into: Data()) { $0.append($1) }
      #expect(try Self.decoded(file) == Data("one two".utf8))
    }
    let failing = TestSubscriber<Data, any Error>()
    Fail<Data, any Error>(error: TestFailure()).gzipped().receive(subscriber: failing)
    #expect(failing.failure as? TestFailure == TestFailure())
  }

  #if os(Linux)
    /// An encoder that zlib refuses to go on with, because its file is complete.
    static func stuck() throws -> GzipEncoder {
      let encoder = try #require(GzipEncoder())
      _ = try encoder.finish()
      return encoder
    }

    @Test("A compressor that fails gives an error, and no bytes that look like a file")
    func failures() throws {
      let data = Data("more".utf8)
      let encoder = try Self.stuck()
      #expect(throws: DeflateError.self) { try encoder.encode(data) }
      #expect(throws: DeflateError.self) { try encoder.encode(data) }
      #expect(throws: DeflateError.self) { try GzipEncoder.encode(data, with: encoder) }
      #expect(try GzipEncoder.encode(data, with: nil) == nil)
    }

    @Test("A compressor that neither takes nor makes a byte has failed, and does not spin")
    func spinning() throws {
      let deflater = try #require(Deflater())
      var output = Data()
      try Data("all".utf8).withUnsafeBytes { try deflater.push($0, isLast: true, into: &output) }
      let made = output
      #expect(!made.isEmpty)
      // zlib says "no progress" here, and not that anything is wrong.
      #expect(throws: DeflateError.self) {
        try Data("more".utf8).withUnsafeBytes {
          try deflater.push($0, isLast: true, into: &output)
        }
      }
      #expect(output == made)
    }

    @Test("A failure while a body is sent ends it, and the server may have seen its beginning")
    func publisherFails() throws {
      let chunks = [Data("one".utf8)].publisher.setFailureType(to: (any Error).self)
      let encoder = try Self.stuck()
      let subscriber = TestSubscriber<Data, any Error>()
      chunks.gzipped { encoder }.receive(subscriber: subscriber)
      #expect(subscriber.values.isEmpty)
      let fault = try #require(subscriber.failure as? TransportError)
      #expect(fault.kind == .sendFailed)
      #expect(fault.mayHaveBeenProcessed)
      #expect(fault.detail.contains("requestCompression"))
    }
  #endif

  @Test("Without an encoder nothing of a body is sent")
  func noEncoder() throws {
    let chunks = [Data("one".utf8)].publisher.setFailureType(to: (any Error).self)
    let subscriber = TestSubscriber<Data, any Error>()
    chunks.gzipped { nil }.receive(subscriber: subscriber)
    #expect(subscriber.values.isEmpty)
    let fault = try #require(subscriber.failure as? TransportError)
    #expect(fault.kind == .sendFailed)
    #expect(!fault.mayHaveBeenProcessed)
  }
}
