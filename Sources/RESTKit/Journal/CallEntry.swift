import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What a call keeps of an event.
///
/// The event is made of it where somebody reads the log, which of most calls nobody does.
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

  /// What was made, where this is of that.
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

  /// Lets go of the request, whose body may be large.
  ///
  /// - Returns: What held it.
  mutating func settle() -> CallEntry {
    let old = self
    content = .event(kind)
    return old
  }

  /// - Parameter number: The call's number among those that are observed.
  func event(inCall number: Int) -> CallEvent {
    CallEvent(time: time, kind: kind, call: number)
  }
}
