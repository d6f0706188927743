import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The stored form of an event.
///
/// The event itself is made only when the log is read, which most calls never need.
struct CallEntry: Sendable {
  enum Content: Sendable {
    case built(URLRequest)
    case event(CallEvent.Kind)
  }

  let time: Duration
  private(set) var content: Content

  init(time: Duration, content: Content) {
    self.time = time
    self.content = content
  }

  private var kind: CallEvent.Kind {
    switch content {
    case .built(let request): .built(RequestSummary(request))
    case .event(let kind): kind
    }
  }

  /// The request, if the entry records that a request was built.
  var built: RequestSummary? {
    switch content {
    case .built(let request): RequestSummary(request)
    case .event(.built(let request)): request
    default: nil
    }
  }

  /// Whether a request was sent.
  var isRequest: Bool {
    if case .event(.sent) = content { true } else { false }
  }

  /// Releases the request, whose body may be large.
  ///
  /// - Returns: The entry that held the request.
  mutating func settle() -> CallEntry {
    let old = self
    content = .event(kind)
    return old
  }

  /// - Parameter number: The call's number among the observed calls.
  func event(inCall number: Int) -> CallEvent {
    CallEvent(time: time, kind: kind, call: number)
  }
}
