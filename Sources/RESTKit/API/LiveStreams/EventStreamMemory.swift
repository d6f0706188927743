import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What one connection of a stream of events leaves to the next: the last id.
final class EventStreamMemory: Sendable {
  private let lastEventID: Lock<String>

  init(lastEventID: String) {
    self.lastEventID = Lock(lastEventID)
  }

  var id: String { lastEventID.withLock { $0 } }

  func note(_ id: String) { lastEventID.withLock { $0 = id } }

  /// Why nothing can be asked for behind the last event; nil where it can.
  ///
  /// - Parameters:
  ///   - limit: The most bytes of an id.
  ///   - request: The last request of the stream; nil before the first.
  func refusal(limit: Int, request: RequestSummary?) -> RESTError? {
    let count = id.utf8.count
    guard count > limit else { return nil }
    return RESTError(
      .invalidRequest,
      reason:
        "the stream cannot go on: the id of its last event has \(count) bytes, and "
        + "ReconnectPolicy.maxIDBytes is \(limit)",
      remedy: "Have the server give shorter ids, or raise the limit if it takes such a field.",
      request: request)
  }

  /// A request for what follows the last event.
  func asking(_ request: URLRequest) -> URLRequest {
    var request = request
    request.setIfAbsent(["Accept": "text/event-stream", "Cache-Control": "no-cache"])
    // A stream may be silent for any time; the policy says for how long.
    request.timeoutInterval = .infinity
    let id = id
    if !id.isEmpty, id.isFieldValue { request.replaceHeader("Last-Event-ID", with: id) }
    return request
  }
}

extension String {
  /// Whether a header can carry it.
  fileprivate var isFieldValue: Bool {
    utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
  }
}
