import Foundation
import Streams

/// A splitter of a response in pieces, which begins anew where the content of the stream does.
///
/// An incomplete line of the old content is dropped.
struct BodySplitter<Parts: Publishers.Splitter>: Publishers.Splitter
where Parts.Input == Data, Parts.InputFailure == any Error, Parts.Failure == any Error {
  private let fresh: Parts
  private var parts: Parts

  /// - Parameter parts: The splitter of the chunks.
  init(_ parts: Parts) {
    fresh = parts
    self.parts = parts
  }

  mutating func receive(_ event: TransferEvent) throws(any Error) {
    switch event {
    case .sent: break
    case .head(let head): if head.beginsAgain { parts = fresh }
    case .chunk(let chunk): try parts.receive(chunk)
    }
  }

  mutating func next() throws(any Error) -> Parts.Output? {
    try parts.next()
  }

  mutating func end(
    _ completion: Subscribers.Completion<any Error>
  ) -> Subscribers.Completion<any Error> {
    parts.end(completion)
  }
}

extension Publisher where Output == TransferEvent, Failure == any Error {
  /// Splits the body of a response in pieces.
  func bodyParts<Parts: Publishers.Splitter>(
    by splitter: Parts
  ) -> AnyPublisher<Parts.Output, any Error>
  where Parts.Input == Data, Parts.InputFailure == any Error, Parts.Failure == any Error {
    through(BodySplitter(splitter)).eraseToAnyPublisher()
  }
}
