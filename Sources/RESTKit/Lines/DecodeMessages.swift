import Foundation
import Streams

extension Publisher where Output == TransferEvent {
  /// Decodes the JSON values of a response whose `Content-Type` says how they arrive: one value, or
  /// a stream of them.
  ///
  /// Some servers, such as those of the Model Context Protocol, answer the same request with a
  /// JSON text or with a stream of events:
  ///
  /// ```swift
  /// api.events(.post, endpoint: "mcp", headers: ["Accept": "application/json, text/event-stream"],
  ///   body: .json(question))
  ///   .handleHead { head in session.note(head.headers["Mcp-Session-Id"]) }
  ///   .decodeMessages(of: Message.self)
  /// ```
  ///
  /// | `Content-Type` | values |
  /// | --- | --- |
  /// | `application/json`, `application/…+json` | one, the body |
  /// | `text/event-stream` | the data of each event |
  /// | `application/x-ndjson`, `application/ndjson`, `application/jsonl` | each line, as `decodeLines` |
  /// | `application/json-seq` | each record |
  ///
  /// A response with the status 202, 204 or 205 has no values.
  ///
  /// - Demand: As `decodeLines`.
  /// - Errors: The upstream's failure, after the values before it; ``RESTError`` of kind
  ///   ``RESTError/Kind/status(_:)`` for a status outside of 200...299, and of kind
  ///   ``RESTError/Kind/malformedResponse`` for another `Content-Type`, both with the body; for a
  ///   value that does not decode, or over the limit, as `decodeLines`.
  /// - Completion: When the upstream has finished and all values are delivered.
  /// - Cancellation: Cancels the upstream and drops undelivered values.
  /// - Delivery: On the thread on which the upstream delivers or the demand arrives. The decoder
  ///   runs there, too.
  ///
  /// - Parameters:
  ///   - type: The type to decode.
  ///   - decoder: The decoder for each value; nil for that of the API, or a plain one if the API
  ///     has none.
  ///   - limit: The maximum size, in bytes, of a value: a body, a line, the data of an event.
  public func decodeMessages<Item: Decodable & Sendable>(
    of type: Item.Type, decoder: JSONDecoder? = nil, limit: Int = 1 << 20
  ) -> AnyPublisher<Item, any Error> {
    let otherType = ExcerptedResponse { RESTError(noMessages: $0, body: $1) }
    return validateStatus().namingRequest { events, request in
      events
        .through(
          RefusedResponseTail(otherType) { !$0.hasNoValues && MessageForm($0) == nil }
        )
        .through(MessageSplitter<Item>(decoder: StreamDecoder(decoder, of: request), limit: limit))
        .eraseToAnyPublisher()
    }
  }
}

/// How the values of a response arrive.
private enum MessageForm {
  case text
  case events
  case lines
  case records

  init?(_ head: ResponseHead) {
    let type = head.mediaType
    switch type {
    case "application/json": self = .text
    case "text/event-stream": self = .events
    case "application/x-ndjson", "application/ndjson", "application/jsonl": self = .lines
    case "application/json-seq": self = .records
    default:
      guard type.hasPrefix("application/"), type.hasSuffix("+json") else { return nil }
      self = .text
    }
  }
}

/// A splitter that decodes the values of a response in the form that its head names.
private struct MessageSplitter<Item: Decodable & Sendable>: Publishers.Splitter {
  private var decoder: StreamDecoder
  private let limit: Int
  private var text: Data?
  private var hasChunks = false
  private var hasEnded = false
  private var events: ServerSentEventSplitter?
  private var lines: JSONLineSplitter<Item, LineFeeds>?
  private var records: JSONLineSplitter<Item, JSONRecords>?

  init(decoder: StreamDecoder, limit: Int) {
    self.decoder = decoder
    self.limit = limit
  }

  mutating func receive(_ event: TransferEvent) throws(any Error) {
    switch event {
    case .sent: break
    // A response that goes on at a byte may bring the rest of a value.
    case .head(let head): if head.beginsAgain || !hasChunks { begin(head) }
    case .chunk(let chunk):
      hasChunks = true
      if let count = text?.count, count + chunk.count > limit {
        throw RESTError(bodyOver: limit)
      }
      text?.append(chunk)
      try events?.receive(chunk)
      try lines?.receive(chunk)
      try records?.receive(chunk)
    }
  }

  private mutating func begin(_ head: ResponseHead) {
    self = MessageSplitter(decoder: decoder, limit: limit)
    guard !head.hasNoValues else { return }
    switch MessageForm(head) {
    case .text: text = Data()
    case .events: events = ServerSentEventSplitter(limit: limit)
    case .lines:
      lines = JSONLineSplitter(LineFeeds(), limit: limit, decoder: decoder, skip: nil)
    case .records:
      records = JSONLineSplitter(JSONRecords(), limit: limit, decoder: decoder, skip: nil)
    case nil: break
    }
  }

  mutating func next() throws(any Error) -> Item? {
    if let event = try events?.next() { return try event.decoded(by: decoder.coder) }
    if let item = try lines?.next() { return item }
    if let item = try records?.next() { return item }
    guard hasEnded, let text = text.take() else { return nil }
    do {
      return try decoder.coder.decode(Item.self, from: text)
    } catch {
      throw RESTError(decoding: Item.self, from: "the body", text: text, error: error) { _ in
        error
      }
    }
  }

  mutating func end(
    _ completion: Subscribers.Completion<any Error>
  ) -> Subscribers.Completion<any Error> {
    if case .finished = completion { hasEnded = true }
    _ = lines?.end(completion)
    _ = records?.end(completion)
    return completion
  }
}

extension ResponseHead {
  /// The `Content-Type` without parameters, in lower case; empty if there is none.
  var mediaType: String {
    (headers["Content-Type"] ?? "").prefix { $0 != ";" && $0 != "," }
      .trimmingCharacters(in: .whitespaces).lowercased()
  }

  /// Whether the status says that there is nothing to read.
  fileprivate var hasNoValues: Bool { [202, 204, 205].contains(statusCode) }
}

extension RESTError {
  fileprivate init(bodyOver limit: Int) {
    self.init(
      .malformedResponse, reason: "the body is longer than the limit of \(limit) bytes",
      remedy: "Raise the `limit` of decodeMessages.")
  }

  fileprivate init(noMessages head: ResponseHead, body: Data) {
    self.init(
      .malformedResponse,
      reason: head.mediaType.isEmpty
        ? "the response has no Content-Type, so that the form of its values is unknown"
        : "the response's Content-Type is neither JSON nor a stream of JSON values",
      remedy: "Check the endpoint and the Accept of the request.", head: head, body: body)
  }
}
