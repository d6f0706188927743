import Foundation
import Streams

/// A splitter that makes events of a body's chunks.
struct ServerSentEventSplitter: Publishers.Splitter {
  private var parser: ServerSentEventParser

  init(limit: Int) {
    parser = ServerSentEventParser(limit: limit)
  }

  mutating func receive(_ chunk: Data) throws(any Error) {
    parser.receive(chunk)
  }

  mutating func next() throws(any Error) -> ServerSentEvent? {
    do throws(LineError) {
      return try parser.next()
    } catch {
      throw RESTError(error)
    }
  }

  func end(
    _ completion: Subscribers.Completion<any Error>
  ) -> Subscribers.Completion<any Error> {
    completion
  }
}
