import Foundation
import HTTPWire
import Streams

/// An encoder of a gzip file (RFC 1952): one member, without a name or a time, so that the same
/// bytes always give the same file.
package final class GzipEncoder: Sendable {
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
  ///
  /// - Throws: `DeflateError` if the library refuses to go on. The file cannot be completed then.
  func encode(_ data: Data) throws(DeflateError) -> Data { try encode(data, isLast: false) }

  /// Returns the rest of the file, after all bytes.
  func finish() throws(DeflateError) -> Data { try encode(Data(), isLast: true) }

  /// Returns a whole gzip file; nil if this machine cannot compress.
  ///
  /// - Parameter encoder: A new encoder; nil if there is none.
  static func encode(
    _ data: Data, with encoder: GzipEncoder? = GzipEncoder()
  ) throws(DeflateError) -> Data? {
    try encoder?.encode(data, isLast: true)
  }

  private func encode(_ data: Data, isLast: Bool) throws(DeflateError) -> Data {
    try state.withLock { state -> Result<Data, DeflateError> in
      var output = Data()
      if !state.hasBegun {
        // Magic number, deflate, no flags, no time, no extra flags, an unknown system (§2.3.1).
        output.append(contentsOf: [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255])
        state.hasBegun = true
      }
      let failure = data.withUnsafeBytes { bytes -> DeflateError? in
        state.checksum.add(bytes)
        do throws(DeflateError) {
          try state.deflater.push(bytes, isLast: isLast, into: &output)
          return nil
        } catch {
          return error
        }
      }
      if let failure { return .failure(failure) }
      state.length &+= UInt32(truncatingIfNeeded: data.count)
      guard isLast else { return .success(output) }
      for number in [state.checksum.value, state.length] {
        withUnsafeBytes(of: number.littleEndian) { output.append(contentsOf: $0) }
      }
      return .success(output)
    }.get()
  }
}

extension Publisher where Output == Data, Failure == any Error {
  /// Returns the chunks of a gzip file with these chunks.
  ///
  /// Each chunk makes one, which may be empty: it shows that the body is not silent.
  ///
  /// - Parameter makeEncoder: Makes the encoder of a subscription.
  func gzipped(
    with makeEncoder: @escaping @Sendable () -> GzipEncoder? = { GzipEncoder() }
  ) -> AnyPublisher<Data, any Error> {
    let chunks = eraseToAnyPublisher()
    return Deferred { () -> AnyPublisher<Data, any Error> in
      guard let encoder = makeEncoder() else {
        let fault = TransportError.beforeSending(.sendFailed, "there is no memory to compress it")
        return Fail(error: fault).eraseToAnyPublisher()
      }
      return chunks.map(Optional.some).append(nil as Data?)
        .tryMap { chunk -> Data in
          do throws(DeflateError) {
            return if let chunk { try encoder.encode(chunk) } else { try encoder.finish() }
          } catch {
            // Some of the body was sent already.
            throw TransportError.afterSending(.sendFailed, error.text)
          }
        }
        .eraseToAnyPublisher()
    }
    .eraseToAnyPublisher()
  }
}

/// The checksum of gzip (RFC 1952 §8), which is that of ISO 3309.
///
/// It uses a table.
struct CRC32: Sendable {
  private static let table: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { remainder, _ in
      remainder & 1 == 1 ? 0xEDB8_8320 ^ (remainder >> 1) : remainder >> 1
    }
  }

  private var remainder = UInt32.max

  /// The checksum of the bytes so far.
  var value: UInt32 { ~remainder }

  mutating func add(_ bytes: UnsafeRawBufferPointer) {
    let table = Self.table
    remainder = bytes.reduce(remainder) { remainder, byte in
      table[Int(UInt8(truncatingIfNeeded: remainder) ^ byte)] ^ (remainder >> 8)
    }
  }
}
