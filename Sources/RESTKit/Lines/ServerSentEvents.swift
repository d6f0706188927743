import Foundation
import Streams

extension Publisher where Output == Data {
  /// Gives the events of a `text/event-stream` that comes in chunks (HTML, 9.2).
  ///
  /// Lines end with LF, CRLF or CR, in any mix. Comments and fields of other names are passed over, an event
  /// without data is none, and one that the body's end cuts is dropped. The body is one response's: nothing
  /// connects again.
  ///
  /// ```marble
  /// source: --a----b--c--|
  /// serverSentEvents()
  /// result: --x-------(yz)--|
  /// a = "data: one\n\n: a comment\n"
  /// b = "id: 7\ndata: tw"
  /// c = "o\n\ndata\n\ndata: cut"
  /// x = ServerSentEvent(data: "one")
  /// y = ServerSentEvent(data: "two", id: "7")
  /// z = ServerSentEvent(data: "", id: "7")
  /// ```
  ///
  /// - Demand: Everything where the downstream asks for everything; else one chunk at a time, the next when
  ///   all events of the one before are delivered.
  /// - Errors: The upstream's failure, after the events that are whole. ``RESTError`` of kind
  ///   ``RESTError/Kind/malformedResponse`` where a line, or the data of an event, is longer than the limit,
  ///   with a ``LineError`` behind it that has the line's number.
  /// - Completion: When the upstream has finished and all events are delivered.
  /// - Cancellation: Cancels the upstream; events that wait are dropped.
  /// - Delivery: Where the upstream delivers, or where demand comes.
  /// - Complexity: O(n) in the number of bytes, however they are cut. What is kept is one chunk, and the event
  ///   that is not complete.
  ///
  /// - Parameter limit: The most bytes of a line, and of an event's data.
  public func serverSentEvents(limit: Int = 1 << 20) -> AnyPublisher<ServerSentEvent, any Error> {
    bodyChunks.through(ServerSentEventSplitter(limit: limit)).eraseToAnyPublisher()
  }
}

extension Publisher where Output == TransferEvent {
  /// Gives the events of a `text/event-stream` that comes as
  /// ``RESTAPI/events(_:endpoint:query:headers:body:authorization:requestModifier:)``, once its status is 200...299.
  ///
  /// As `serverSentEvents` of chunks. Another status fails as `validateStatus()` does, with the body in the
  /// error. The response's `Content-Type` is not looked at.
  ///
  /// - Parameter limit: The most bytes of a line, and of an event's data.
  public func serverSentEvents(limit: Int = 1 << 20) -> AnyPublisher<ServerSentEvent, any Error> {
    validateStatus().bodyChunks.serverSentEvents(limit: limit)
  }
}
