import Foundation
import RESTKit
import Streams

/// A body of a request or a response, as chunks that are taken one at a time.
///
/// The next chunk is asked for when the one before has been taken, so that a slow reader slows the
/// sender down. Data can be iterated any number of times. A sequence is iterated as it allows: the body
/// of a response that ``RESTKit/Transport/execute(_:body:timeout:)`` returns, once.
public struct HTTPMessageBody: AsyncSequence, Sendable {
  public typealias Element = Data
  public typealias Failure = any Error

  private enum Content: Sendable {
    case data(Data)
    case chunks(ErasedChunks)
  }

  /// The bytes in all; nil where that shows at the end.
  public let length: Int64?

  /// The same as a body of RESTKit's: one, so that it knows whether it was sent.
  let requestBody: RequestBody

  private let content: Content

  /// Makes a body of bytes that are in memory.
  public init(_ data: Data) {
    length = Int64(data.count)
    content = .data(data)
    requestBody = .data(data)
  }

  /// Makes a body of chunks that come as they are asked for.
  ///
  /// - Parameters:
  ///   - chunks: The chunks, in order. What it throws fails the exchange.
  ///   - length: The bytes in all, where they are known: a request whose body has another length fails.
  ///   - isReplayable: Whether each iteration gives the same chunks, so that a redirect or a retry may
  ///     send them again.
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

  /// The whole body in memory.
  ///
  /// - Parameter limit: How many bytes it may have; 64 MiB unless set.
  /// - Throws: What the chunks fail with, or a `TransportError` of kind `limitExceeded(.bodyBytes)`.
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

  /// Takes one chunk after another.
  public struct Iterator: AsyncIteratorProtocol {
    var base: any AsyncIteratorProtocol<Data, any Error>

    /// The next chunk, or nil at the end.
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
  /// Where the bytes come from and how many they are; nothing of them.
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

/// An iterator whose failures may be any.
private struct ErasedIterator<Base: AsyncIteratorProtocol>: AsyncIteratorProtocol
where Base.Element == Data {
  var base: Base

  mutating func next(isolation actor: isolated (any Actor)?) async throws -> Data? {
    try await base.next(isolation: actor)
  }

  mutating func next() async throws -> Data? { try await next(isolation: nil) }
}
