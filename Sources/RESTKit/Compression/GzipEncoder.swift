import Foundation
import Streams

/// An encoder of a gzip file (RFC 1952): one member, without a name or a time, so that the same bytes
/// always give the same file.
final class GzipEncoder: Sendable {
  private struct State {
    let deflater: Deflater
    var checksum = CRC32()
    var length: UInt32 = 0
    var hasBegun = false
  }

  // Its user encodes on one thread at a time. The lock satisfies the compiler.
  private let state: Lock<State>

  /// - Returns: nil if this machine cannot compress.
  init?() {
    guard let deflater = Deflater() else { return nil }
    state = Lock(State(deflater: deflater))
  }

  /// Compresses bytes.
  ///
  /// The result may be empty.
  func encode(_ data: Data) -> Data { encode(data, isLast: false) }

  /// Returns the rest of the file, after all bytes.
  func finish() -> Data { encode(Data(), isLast: true) }

  /// Returns a whole gzip file; nil if this machine cannot compress.
  static func encode(_ data: Data) -> Data? {
    GzipEncoder().map { $0.encode(data, isLast: true) }
  }

  private func encode(_ data: Data, isLast: Bool) -> Data {
    state.withLock { state in
      var output = Data()
      if !state.hasBegun {
        // Magic number, deflate, no flags, no time, no extra flags, an unknown system (§2.3.1).
        output.append(contentsOf: [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255])
        state.hasBegun = true
      }
      data.withUnsafeBytes { bytes in
        state.checksum.add(bytes)
        state.deflater.push(bytes, isLast: isLast, into: &output)
      }
      state.length &+= UInt32(truncatingIfNeeded: data.count)
      guard isLast else { return output }
      for number in [state.checksum.value, state.length] {
        withUnsafeBytes(of: number.littleEndian) { output.append(contentsOf: $0) }
      }
      return output
    }
  }
}

extension Publisher where Output == Data, Failure == any Error {
  /// Returns the chunks of a gzip file with these chunks.
  func gzipped() -> AnyPublisher<Data, any Error> {
    let chunks = eraseToAnyPublisher()
    return Deferred { () -> AnyPublisher<Data, any Error> in
      guard let encoder = GzipEncoder() else {
        let fault = TransportError.beforeSending(.sendFailed, "there is no memory to compress it")
        return Fail(error: fault).eraseToAnyPublisher()
      }
      return chunks.map(Optional.some).append(nil as Data?)
        .map { chunk in chunk.map { encoder.encode($0) } ?? encoder.finish() }
        .filter { !$0.isEmpty }
        .eraseToAnyPublisher()
    }
    .eraseToAnyPublisher()
  }
}
