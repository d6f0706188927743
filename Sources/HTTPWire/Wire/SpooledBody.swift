import Foundation
import Streams

/// A body that a publisher gave, in a temporary file that is removed with this object.
///
/// It is for engines that cannot wait for the chunks of a body.
package final class SpooledBody: Sendable {
  package let file: URL
  private let handle: FileHandle
  private let written = Lock<Int64>(0)

  // The throwing part is outside of the initializer: the optimizer of Swift 6.3 fails on a throwing
  // initializer in a class with a lock.
  private init(_ file: URL, _ handle: FileHandle) {
    self.file = file
    self.handle = handle
  }

  private static func make() throws -> SpooledBody {
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("RESTKit-\(UUID().uuidString)")
    // The content of a request is for the server only, so no other user may read the file.
    return SpooledBody(file, try .opening(file.path, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600))
  }

  deinit {
    // A file that is already gone or cannot be removed is no reason to fail a call that has ended.
    try? FileManager.default.removeItem(at: file)
  }

  package var length: Int64 { written.withLock { $0 } }

  /// Returns a publisher that collects all chunks and then gives the one value.
  ///
  /// - Parameter length: The required number of bytes, or nil for any number.
  package static func publisher(
    of chunks: AnyPublisher<Data, any Error>, length: Int64?
  ) -> AnyPublisher<SpooledBody, any Error> {
    Deferred {
      Result { try make() }.publisher
        .flatMap { spool in
          chunks.tryReduce(spool) { spool, chunk in
            try spool.append(chunk)
            return spool
          }
        }
        .tryMap { try $0.checked(length: length) }
    }
    .eraseToAnyPublisher()
  }

  private func append(_ chunk: Data) throws {
    try handle.write(contentsOf: chunk)
    written.withLock { $0 += Int64(chunk.count) }
  }

  private func checked(length promised: Int64?) throws(TransportError) -> SpooledBody {
    if let promised, promised != length {
      let count = length < promised ? "\(length) of" : "more than"
      throw .beforeSending(
        .sendFailed,
        "the body's publisher gave \(count) the \(promised) bytes of its declared length")
    }
    return self
  }
}
