import Foundation
import Streams

extension Publisher where Output == Data {
  /// Parses the events of a `text/event-stream` in chunks (HTML, 9.2).
  ///
  /// Lines end with LF, CRLF or CR, in any mix. Comments and unknown fields are ignored. An event
  /// without data is not delivered, and an event that the end of the body cuts is dropped. The body
  /// is that of one response; the operator does not reconnect.
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
  /// - Demand: Unlimited if the downstream demand is unlimited. Otherwise one chunk at a time; the
  ///   next chunk is requested when all events of the last one are delivered.
  /// - Errors: The upstream's failure, after all complete events. ``RESTError`` of kind
  ///   ``RESTError/Kind/malformedResponse`` if a line, or the data of an event, exceeds the limit.
  ///   Its underlying error is a ``LineError`` with the line's number. If the chunks are those of a
  ///   verb's response, the error names the request.
  /// - Completion: When the upstream has finished and all events are delivered.
  /// - Cancellation: Cancels the upstream and drops undelivered events.
  /// - Delivery: On the thread on which the upstream delivers or the demand arrives.
  /// - Complexity: O(n) in the number of bytes, for any division into chunks. The operator keeps
  ///   one chunk and the incomplete event.
  ///
  /// - Parameter limit: The maximum length of a line, and of an event's data, in bytes.
  public func serverSentEvents(limit: Int = 1 << 20) -> AnyPublisher<ServerSentEvent, any Error> {
    let splitter = ServerSentEventSplitter(limit: limit)
    return bodyChunks.namingRequest { chunks, _ in
      chunks.through(splitter).eraseToAnyPublisher()
    }
  }
}

extension Publisher where Output == TransferEvent {
  /// Parses the events of a `text/event-stream` response that arrives as
  /// ``RESTAPI/events(_:endpoint:query:headers:body:authorization:requestModifier:)``, if its
  /// status is 200...299.
  ///
  /// It works as `serverSentEvents` of chunks. Another status fails as with `validateStatus()`,
  /// with the body in the error. The response's `Content-Type` is ignored.
  ///
  /// - Parameter limit: The maximum length of a line, and of an event's data, in bytes.
  public func serverSentEvents(limit: Int = 1 << 20) -> AnyPublisher<ServerSentEvent, any Error> {
    let splitter = ServerSentEventSplitter(limit: limit)
    return validateStatus().namingRequest { events, _ in events.bodyParts(by: splitter) }
  }
}

/// A splitter that makes events of a body's chunks.
struct ServerSentEventSplitter: Publishers.Splitter {
  private var parser: ServerSentEventParser
  private let noteID: @Sendable (String) -> Void
  private let noteDelay: @Sendable (Duration) -> Void
  private let failure: @Sendable (LineError) -> RESTError
  private var delay: Duration?

  /// - Parameters:
  ///   - limit: The maximum length of a line, and of an event's data, in bytes.
  ///   - lastEventID: The id of the previous response.
  ///   - noteID: A closure that gets the last id of the response that took effect, before each
  ///     event.
  ///   - noteDelay: A closure that gets the server's time to wait before the next connection, when
  ///     it is another one.
  ///   - failure: A closure that makes the error of a fault in a line.
  init(
    limit: Int, lastEventID: String = "", noteID: @escaping @Sendable (String) -> Void = { _ in },
    noteDelay: @escaping @Sendable (Duration) -> Void = { _ in },
    failure: @escaping @Sendable (LineError) -> RESTError = { RESTError($0) }
  ) {
    parser = ServerSentEventParser(limit: limit, lastEventID: lastEventID)
    self.noteID = noteID
    self.noteDelay = noteDelay
    self.failure = failure
  }

  mutating func receive(_ chunk: Data) throws(any Error) {
    parser.receive(chunk)
  }

  mutating func next() throws(any Error) -> ServerSentEvent? {
    do throws(LineError) {
      let event = try parser.next()
      if parser.hasID { noteID(parser.lastEventID) }
      if let time = parser.reconnectionTime, time != delay {
        delay = time
        noteDelay(time)
      }
      return event
    } catch {
      throw failure(error)
    }
  }

  func end(
    _ completion: Subscribers.Completion<any Error>
  ) -> Subscribers.Completion<any Error> {
    completion
  }
}

extension ServerSentEvent {
  /// Decodes the data of the event.
  ///
  /// - Parameters:
  ///   - type: The type to decode.
  ///   - decoder: The decoder for the data.
  /// - Throws: ``RESTError`` of kind ``RESTError/Kind/malformedResponse`` if the data is not JSON,
  ///   and of kind ``RESTError/Kind/decoding`` if it is JSON of another shape. The error's text
  ///   names the position, and its ``RESTError/body`` is the data.
  public func decoded<Item: Decodable>(
    as type: Item.Type = Item.self, by decoder: JSONDecoder = JSONDecoder()
  ) throws(RESTError) -> Item {
    let text = Data(data.utf8)
    do {
      return try decoder.decode(Item.self, from: text)
    } catch {
      throw RESTError(decoding: Item.self, from: "an event's data", text: text, error: error) { _ in
        error
      }
    }
  }
}
