import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The state that one connection of an event stream passes to the next: the last id.
final class EventStreamMemory: Sendable {
  private let lastEventID: Lock<String>

  init(lastEventID: String) {
    self.lastEventID = Lock(lastEventID)
  }

  var id: String { lastEventID.withLock { $0 } }

  func note(_ id: String) { lastEventID.withLock { $0 = id } }

  /// Returns the reason why no request may follow the last event; nil if one may.
  ///
  /// - Parameters:
  ///   - limit: The maximum size of an id, in bytes.
  ///   - request: The last request of the stream; nil before the first.
  func refusal(limit: Int, request: RequestSummary?) -> RESTError? {
    let count = id.utf8.count
    guard count > limit else { return nil }
    return RESTError(
      .invalidRequest,
      reason:
        "the stream cannot reconnect: the id of its last event has \(count) bytes, but "
        + "ReconnectPolicy.maxIDBytes is \(limit)",
      remedy: "Have the server send shorter ids, or raise the limit if the server accepts them.",
      request: request)
  }

  /// Returns a request for a stream of events.
  func asking(_ request: URLRequest) -> URLRequest {
    var request = request
    request.setIfAbsent(["Accept": "text/event-stream", "Cache-Control": "no-cache"])
    // A stream may be silent for any time. The policy has the limit.
    request.timeoutInterval = .infinity
    return request
  }

  /// Makes a request ask for the events after the last one.
  func resume(_ request: inout URLRequest) -> String? {
    let id = id
    if !id.isEmpty, id.isFieldValue { request.replaceHeader("Last-Event-ID", with: id) }
    return nil
  }
}

extension String {
  /// Whether a header field can carry this text.
  fileprivate var isFieldValue: Bool {
    utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
  }
}
