import Foundation
import Streams

/// A ``RequestBody`` that was opened for sending, for transports of your own.
public struct OpenedRequestBody: Sendable {
  /// The total number of bytes, or nil if it is known only at the end.
  public let length: Int64?
  /// A publisher of the body for one attempt, with one chunk for each demand.
  ///
  /// No chunk is empty.
  ///
  /// It fails with the error of the body's publisher, or with a ``TransportError`` of kind
  /// `sendFailed` if the number of bytes differs from ``length``.
  public let chunks: AnyPublisher<Data, any Error>
}

extension RequestBody {
  /// Opens the body for one attempt.
  ///
  /// - Parameter chunkBytes: The size of the chunks of data and files. The chunks of a publisher
  ///   stay unchanged.
  /// - Throws: A fault of kind `invalidRequest` if the body was sent before and cannot be sent
  ///   again, or if its file cannot be read. Nothing was sent then.
  public func open(chunkBytes: Int = 64 << 10) throws(TransportError) -> OpenedRequestBody {
    switch try begin() {
    case .data(let data): return OpenedRequestBody(data, chunkBytes: chunkBytes)
    case .file(let file): return try OpenedRequestBody(file: file, chunkBytes: chunkBytes)
    // The file is open from here on, so its spool may be released.
    case .spool(let spool):
      return try OpenedRequestBody(file: spool.file, chunkBytes: chunkBytes)
    case .chunks(let chunks, let length):
      return OpenedRequestBody(
        length: length, chunks: OpenedRequestBody.counted(chunks, length: length))
    }
  }
}

extension OpenedRequestBody {
  fileprivate init(_ data: Data, chunkBytes: Int) {
    // The size is at most that of the data: otherwise the end of a chunk could overflow.
    let size = max(min(chunkBytes, data.count), 1)
    let pieces = stride(from: data.startIndex, to: data.endIndex, by: size).lazy.map { start in
      data[start..<min(start + size, data.endIndex)]
    }
    length = Int64(data.count)
    chunks = Array(pieces).publisher.setFailureType(to: (any Error).self).eraseToAnyPublisher()
  }

  fileprivate init(file: URL, chunkBytes: Int) throws(TransportError) {
    let file = try BodyFile(file)
    let pieces = FilePieces(file, size: max(chunkBytes, 1))
    length = file.length
    chunks = Self.counted(
      pieces.publisher.tryMap { try $0.get() }.eraseToAnyPublisher(), length: file.length)
  }

  /// Returns the same chunks without the empty ones.
  ///
  /// They fail if the number of bytes differs from the promised length.
  fileprivate static func counted(
    _ chunks: AnyPublisher<Data, any Error>, length: Int64?
  ) -> AnyPublisher<Data, any Error> {
    guard let length else { return chunks.filter { !$0.isEmpty }.eraseToAnyPublisher() }
    return chunks.map(Optional.some).append(nil as Data?)
      .tryScan((total: Int64(0), chunk: Data())) { last, chunk in
        let total = last.total + Int64(chunk?.count ?? 0)
        guard total <= length else {
          throw fault("gave more than the \(length) bytes of its declared length")
        }
        guard chunk != nil || total == length else {
          throw fault("ended after \(total) of \(length) bytes")
        }
        return (total, chunk ?? Data())
      }
      .map(\.chunk)
      .filter { !$0.isEmpty }
      .eraseToAnyPublisher()
  }

  private static func fault(_ what: String) -> TransportError {
    .afterSending(.sendFailed, "the body's source \(what)")
  }
}

/// The pieces of a file, read on demand.
///
/// The file is closed with the last copy.
private struct FilePieces: Sequence, IteratorProtocol, Sendable {
  private let file: BodyFile
  private let size: Int
  private var left: Int64

  init(_ file: BodyFile, size: Int) {
    self.file = file
    self.size = size
    left = file.length
  }

  mutating func next() -> Result<Data, any Error>? {
    guard left > 0 else { return nil }
    let wanted = Int(clamping: Swift.min(Int64(size), left))
    let piece = Result { try file.handle.read(upToCount: wanted) ?? Data() }
    if case .success(let data) = piece, !data.isEmpty {
      left -= Int64(data.count)
    } else {
      // A file that became shorter or cannot be read further has no more pieces.
      left = 0
    }
    return piece
  }
}
