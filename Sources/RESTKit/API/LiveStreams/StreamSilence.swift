import Streams

/// Lets a connection fail where it says nothing for too long, while something is asked of it.
///
/// What is told of the request's body is left out. Where waits take no time, no silence is too long.
struct StreamSilence: Publishers.TimedStage {
  private let policy: ReconnectPolicy
  private let isTimed: Bool
  /// Whether the answer has begun, and is to be a stream: another one ends by itself, and soon.
  private var isStream = false
  private let failure: @Sendable (String) -> any Error

  /// - Parameters:
  ///   - isTimed: Whether the scheduler that it is measured on lets time pass.
  ///   - failure: Makes the failure of the property whose time is over.
  init(
    _ policy: ReconnectPolicy, isTimed: Bool = true,
    failure: @escaping @Sendable (String) -> any Error
  ) {
    self.policy = policy
    self.isTimed = isTimed
    self.failure = failure
  }

  mutating func receive(
    _ event: Publishers.TimedEvent<TransferEvent, any Error>,
    outlet: inout Publishers.Outlet<TransferEvent, any Error>
  ) {
    switch event {
    case .begin, .delivery: break
    case .demand(let demand):
      let wasIdle = outlet.deadline == nil
      outlet.request += demand
      if wasIdle { wind(&outlet) }
    case .value(.sent):
      // Whoever asked for it gets another in its place.
      outlet.request += 1
    case .value(let value):
      if case .head(let head) = value { isStream = head.statusCode == 200 }
      outlet.send(value)
      wind(&outlet)
    case .end(let completion):
      outlet.deadline = nil
      outlet.end = .afterValues(completion)
    case .wake:
      // What waits for a busy subscriber is no silence of the server's.
      guard outlet.waiting == 0 else { return wind(&outlet) }
      let property = isStream ? "silence" : "answerTimeout"
      outlet.end = .lapsed { [failure] in .failure(failure("ReconnectPolicy.\(property)")) }
    }
  }

  private func wind(_ outlet: inout Publishers.Outlet<TransferEvent, any Error>) {
    guard isTimed, outlet.unserved > .none,
      let limit = isStream ? policy.silence : policy.answerTimeout
    else {
      outlet.deadline = nil
      return
    }
    outlet.deadline = outlet.now.adding(max(limit, .zero))
  }
}
