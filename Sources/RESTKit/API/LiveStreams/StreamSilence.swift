import Streams

/// A stage that fails a connection if it sends nothing for too long while there is demand.
///
/// It leaves out the progress of the request's body. If waits take no time, no silence is too long.
struct StreamSilence: Publishers.TimedStage {
  private let policy: ReconnectPolicy
  private let isTimed: Bool
  /// Whether the response has begun.
  private var hasHead = false
  /// Whether it is a stream.
  ///
  /// The body of another response is limited where it is refused, and its silences here.
  private var isStream = false
  private let isHeadOfStream: @Sendable (ResponseHead) -> Bool
  private let failure: @Sendable (String) -> any Error

  /// - Parameters:
  ///   - isTimed: Whether time passes on the scheduler that measures the silence.
  ///   - isHeadOfStream: A closure that returns whether a head begins a stream.
  ///   - failure: A closure that makes the failure for the property whose time is over.
  init(
    _ policy: ReconnectPolicy, isTimed: Bool = true,
    isHeadOfStream: @escaping @Sendable (ResponseHead) -> Bool,
    failure: @escaping @Sendable (String) -> any Error
  ) {
    self.policy = policy
    self.isTimed = isTimed
    self.isHeadOfStream = isHeadOfStream
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
      // The demand for this event is replaced by demand for another.
      outlet.request += 1
    case .value(let value):
      if case .head(let head) = value {
        hasHead = true
        isStream = isHeadOfStream(head)
      }
      outlet.send(value)
      wind(&outlet)
    case .end(let completion):
      outlet.deadline = nil
      outlet.end = .afterValues(completion)
    case .wake:
      // A wait for a busy subscriber is not a silence of the server.
      guard outlet.waiting == 0 else { return wind(&outlet) }
      guard !hasHead || isStream else {
        // The refused response fails with what came of it.
        outlet.end = .lapsed { .finished }
        return
      }
      let property = isStream ? "silence" : "responseTimeout"
      outlet.end = .lapsed { [failure] in .failure(failure("ReconnectPolicy.\(property)")) }
    }
  }

  private func wind(_ outlet: inout Publishers.Outlet<TransferEvent, any Error>) {
    guard isTimed, outlet.unserved > .none,
      let limit = isStream ? policy.silence : policy.responseTimeout
    else {
      outlet.deadline = nil
      return
    }
    outlet.deadline = outlet.now.adding(max(limit, .zero))
  }
}

extension RESTError {
  /// Makes the error of a server that sent nothing for the time of a property of
  /// ``ReconnectPolicy``.
  init(silentFor property: String, request: RequestSummary?) {
    let fault = TransportError(kind: .timedOut, detail: property, mayHaveBeenProcessed: true)
    self.init(
      .transport(fault.kind), reason: fault.reason, remedy: fault.remedy, request: request,
      underlyingError: fault)
  }
}

extension Scheduler {
  /// Whether waits on this scheduler take time.
  ///
  /// If they take none, a time-out would expire at once.
  var letsTimePass: Bool { !(self is ImmediateScheduler) }
}
