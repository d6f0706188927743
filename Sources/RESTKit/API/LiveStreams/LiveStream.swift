import Foundation
import Streams

/// One subscription to a live stream of events: what its connections note, and its decisions after
/// each.
final class LiveStream: RepeatDecision {
  /// A closure that makes the next connection of a stream.
  typealias Connect = @Sendable (LiveStream) -> AnyPublisher<ServerSentEvent, any Error>

  let call: RepeatedCall
  private let connect: Connect
  private let machine: Lock<ReconnectMachine>

  private init(_ policy: ReconnectPolicy, call: RepeatedCall, connect: @escaping Connect) {
    self.call = call
    self.connect = connect
    machine = Lock(ReconnectMachine(policy, rule: call.rule))
  }

  /// Returns a stream as a publisher that starts again for each subscription.
  ///
  /// - Parameters:
  ///   - retry: The retry policy of the API.
  ///   - make: A closure that makes the connections of one subscription.
  static func publisher(
    _ policy: ReconnectPolicy, retry: RetryPolicy?, make: @escaping @Sendable () -> Connect
  ) -> AnyPublisher<ServerSentEvent, any Error> {
    DeferredInContext { context in
      let call = RepeatedCall(
        policy.retryOfStream(besides: retry), cause: .reconnect, in: context)
      return LiveStream(policy, call: call, connect: make()).attempts(in: context)
    }
    .eraseToAnyPublisher()
  }

  // MARK: Events of a connection

  /// Records that the server accepted the request.
  func noteOpening() {
    call.noteSuccess()
  }

  /// Records that the server wants no further connection.
  func noteEnd() {
    machine.withLock { $0.noteEnd() }
  }

  /// Records the delay between connections that the server asked for.
  func noteServerDelay(_ delay: Duration) {
    machine.withLock { $0.serverDelay = delay }
  }

  /// Records whether the last id is one that cannot be sent.
  func noteID(isLost: Bool) {
    machine.withLock { $0.hasLostID = isLost }
  }

  func note(_ event: ServerSentEvent) {
    machine.withLock { $0.noteDelivery() }
  }

  // MARK: Decisions

  func attempt(_ number: Int) -> AnyPublisher<ServerSentEvent, any Error> {
    machine.withLock { $0.begin() }
    // A token may expire more than once while the server is unreachable.
    if number > 1 { call.logical.renewRefresh() }
    return connect(self)
  }

  func outcome(of event: ServerSentEvent) -> AttemptOutcome? { nil }

  func outcome(of end: Subscribers.Completion<any Error>) -> AttemptOutcome? {
    switch end {
    case .finished: .ended
    case .failure(let error):
      AttemptOutcome(ofConnection: error, now: call.policy.wallClock())
        .reading(error, by: call.policy)
    }
  }

  func step(after outcome: AttemptOutcome) -> RepeatStep {
    call.step(after: outcome, by: machine)
  }
}

extension ReconnectPolicy {
  /// The policy that decides what is transient, for one stream: with a budget of its own, and with
  /// the time of the subscription.
  ///
  /// - Parameter other: The retry policy of the API; nil if there is none.
  func retryOfStream(besides other: RetryPolicy?) -> RetryPolicy {
    var retry = retry ?? other ?? RetryPolicy(budget: nil).fixed(in: time.inUse)
    retry = retry.fixed(in: retry.time.inUse)
    // Minutes without a network would use up the budget that the calls need afterwards.
    retry.budget = retry.budget?.separate
    return retry
  }
}

extension RepeatedCall {
  /// Returns the step that follows a connection.
  func step(after outcome: AttemptOutcome, by machine: borrowing Lock<ReconnectMachine>)
    -> RepeatStep
  {
    let sent = sent
    var copy = machine.withLock { $0 }
    let step = drawing { copy.step(after: outcome, of: sent, using: &$0) }
    machine.withLock { [copy] in $0 = copy }
    // A stream pays for failures in a row, and the waits that grow with them.
    if copy.hasDelivered { policy.budget?.fill() }
    return step
  }
}

extension AttemptOutcome {
  /// The outcome of a connection that failed.
  ///
  /// If a token refresh failed temporarily, the user stays signed in, and the refresh's own failure
  /// decides whether the stream reconnects.
  init(ofConnection error: any Error, now: Date) {
    switch error as? TokenSessionError {
    case .refreshFailed(let cause): self.init(cause, now: now)
    case .refreshTimedOut: self = .fault(.timedOut, mayHaveBeenProcessed: false)
    default: self.init(error, now: now)
    }
  }
}
