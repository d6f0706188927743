import Foundation
import RESTKit
import Streams

/// The body of a request or a response, as an asynchronous sequence of chunks.
///
/// A chunk is requested after the previous one has been taken, so a slow reader slows the sender
/// down. A body of data can be iterated any number of times. A body of chunks can be iterated as
/// often as its sequence allows. The body of a response that
/// ``RESTKit/Transport/execute(_:body:timeout:)`` returns can be iterated once.
public struct HTTPMessageBody: AsyncSequence, Sendable {
  public typealias Element = Data
  public typealias Failure = any Error

  private enum Content: Sendable {
    case data(Data)
    case chunks(ErasedChunks)
  }

  /// The number of bytes, or nil if it is known only at the end.
  public let length: Int64?

  /// The same body as a `RequestBody`.
  ///
  /// There is only one, so it knows whether it was sent.
  let requestBody: RequestBody

  private let content: Content

  /// Creates a body of bytes in memory.
  public init(_ data: Data) {
    length = Int64(data.count)
    content = .data(data)
    requestBody = .data(data)
  }

  /// Creates a body of chunks that are produced on request.
  ///
  /// - Parameters:
  ///   - chunks: The chunks, in order. An error that the sequence throws fails the exchange.
  ///   - length: The number of bytes, or nil if it is not known. A request whose body has another
  ///     length fails.
  ///   - isReplayable: Whether each iteration returns the same chunks. A redirect or a retry can
  ///     then send them again.
  public init<Chunks: AsyncSequence & Sendable>(
    _ chunks: Chunks, length: Int64? = nil, isReplayable: Bool = false
  ) where Chunks.Element == Data {
    let erased = ErasedChunks { ErasedIterator(base: chunks.makeAsyncIterator()) }
    self.length = length
    content = .chunks(erased)
    requestBody = .chunks(erased.publisher, length: length, isReplayable: isReplayable)
  }

  public func makeAsyncIterator() -> Iterator {
    switch content {
    case .data(let data): Iterator(base: OneChunk(data: data.isEmpty ? nil : data))
    case .chunks(let chunks): Iterator(base: chunks.make())
    }
  }

  /// Returns the whole body in memory.
  ///
  /// - Parameter limit: The maximum number of bytes. The default is 64 MiB.
  /// - Throws: The error of the chunks, or a `TransportError` of kind `limitExceeded(.bodyBytes)`.
  public func collect(upTo limit: Int = TransportLimits().bodyBytes) async throws -> Data {
    var data = Data()
    for try await chunk in self {
      guard chunk.count <= limit - data.count else {
        throw TransportError(
          kind: .limitExceeded(.bodyBytes), detail: "more than \(limit) bytes of body",
          mayHaveBeenProcessed: true)
      }
      data.append(chunk)
    }
    return data
  }

  /// An iterator over the chunks of a body.
  public struct Iterator: AsyncIteratorProtocol {
    var base: any AsyncIteratorProtocol<Data, any Error>

    /// Returns the next chunk, or nil at the end.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws -> Data? {
      try await base.next(isolation: actor)
    }

    public mutating func next() async throws -> Data? {
      try await next(isolation: nil)
    }
  }
}

extension HTTPMessageBody: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable
{
  /// The source and the number of the bytes, without their content.
  public var description: String { requestBody.description }

  public var debugDescription: String { description }

  // `dump` would print the bytes.
  public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

/// A sequence of chunks of any type.
private struct ErasedChunks: AsyncSequence, Sendable {
  typealias Failure = any Error

  let make: @Sendable () -> any AsyncIteratorProtocol<Data, any Error>

  func makeAsyncIterator() -> HTTPMessageBody.Iterator { HTTPMessageBody.Iterator(base: make()) }
}

private struct OneChunk: AsyncIteratorProtocol {
  var data: Data?

  mutating func next() async throws -> Data? { data.take() }
}

/// An iterator with the failure type `any Error`.
private struct ErasedIterator<Base: AsyncIteratorProtocol>: AsyncIteratorProtocol
where Base.Element == Data {
  var base: Base

  mutating func next(isolation actor: isolated (any Actor)?) async throws -> Data? {
    try await base.next(isolation: actor)
  }

  mutating func next() async throws -> Data? { try await next(isolation: nil) }
}
