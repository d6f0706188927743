import Foundation
import Streams

/// One subscription to a live stream: its connections, the waits between them, and the decisions after
/// each.
final class LiveStream<Output: Sendable>: Sendable {
  private struct State: Sendable {
    var machine: ReconnectMachine
    var generator: any RandomNumberGenerator & Sendable
    var hasBegun = false
    var wait = Duration.zero
    var serverDelay: Duration?
  }

  /// The retry policy of the stream: its clock, its own budget, and the transient outcomes.
  let retry: RetryPolicy
  let policy: ReconnectPolicy
  let call: LogicalCall
  private let scope: CallScope
  /// The context of each connection.
  private let context: SubscriptionContext
  private let connect: @Sendable (LiveStream) -> AnyPublisher<Output, any Error>
  private let state: Lock<State>

  /// - Parameters:
  ///   - retry: The retry policy of the API.
  ///   - context: The context of the subscriber.
  ///   - connect: A closure that makes the next connection.
  init(
    _ policy: ReconnectPolicy, retry: RetryPolicy?, call: LogicalCall,
    in context: SubscriptionContext,
    connect: @escaping @Sendable (LiveStream) -> AnyPublisher<Output, any Error>
  ) {
    self.policy = policy
    var retry = policy.retry ?? retry ?? RetryPolicy(budget: nil)
    // Minutes without a network would use up the budget that the calls need afterwards.
    retry.budget = retry.budget?.separate
    self.retry = retry
    self.call = call
    self.connect = connect
    let inside: SubscriptionContext
    (scope, inside) = context.beginningScope(of: call, keyMaker: retry.keyMaker)
    self.context = inside.setting(IsRetried.self, to: true)
    state = Lock(
      State(
        machine: ReconnectMachine(policy, rule: RetryRule(policy: retry)),
        generator: retry.generator))
  }

  // MARK: The next step

  /// The next connection.
  var connection: RelayLeg<LiveStreamTurn<Output>> {
    let isFirst = state.withLock { state in
      state.machine.begin()
      defer { state.hasBegun = true }
      return !state.hasBegun
    }
    call.journal.settle()
    if !isFirst {
      call.beginRepetition(of: scope, cause: .reconnect)
      scope.begin()
      // A token may expire more than once while the server is unreachable.
      call.renewRefresh()
    }
    return RelayLeg(
      connect(self), rule: LiveStreamTurn(owner: self, isWait: false), context: context)
  }

  /// The wait before the next connection.
  fileprivate var wait: RelayLeg<LiveStreamTurn<Output>> {
    let wait = Empty<Output, any Error>().delay(
      for: state.withLock { $0.wait }, scheduler: retry.scheduler)
    return RelayLeg(wait.eraseToAnyPublisher(), rule: LiveStreamTurn(owner: self, isWait: true))
  }

  // MARK: Events of a connection

  /// Records that the server accepted the request.
  func noteOpening() {
    // A token that expires from now on is not the one that was accepted.
    call.renewRefresh()
    guard let budget = retry.budget, !budget.isFull, let host = scope.sentRequests.first?.origin
    else { return }
    budget.noteSuccess(of: host)
  }

  /// Records that the server wants no further connection.
  func noteEnd() {
    state.withLock { $0.machine.noteEnd() }
  }

  /// Records the delay between connections that the server asked for.
  func noteServerDelay(_ delay: Duration) {
    state.withLock { $0.serverDelay = delay }
  }

  /// Records that an output arrived.
  fileprivate func noteDelivery() {
    state.withLock { $0.machine.noteDelivery() }
  }

  // MARK: Decisions

  /// Decides whether to reconnect, and if so, records the wait.
  fileprivate func shouldReconnect(after end: Subscribers.Completion<any Error>) -> Bool {
    let outcome: ReconnectMachine.Outcome =
      switch end {
      case .finished: .ended
      case .failure(let error): .failed(AttemptOutcome(ofConnection: error, now: retry.wallClock()))
      }
    let sent = scope.sentRequests
    // A user's generator runs without the lock. Signals arrive one at a time.
    var (machine, generator, serverDelay) = state.withLock {
      ($0.machine, $0.generator, $0.serverDelay)
    }
    let step = machine.step(
      after: outcome, of: sent, serverDelay: serverDelay, using: &generator)
    let old = state.withLock { [machine, generator] state in
      defer { (state.machine, state.generator) = (machine, generator) }
      return state.generator
    }
    // A user's generator is released without the lock, too.
    withExtendedLifetime(old) {}
    switch step {
    case .deliver: return false
    case .stop(let refusal):
      call.journal.record(.notRetried(because: "\(refusal)"))
      return false
    case .reconnect(let wait, let isFree, let asked):
      // A stream pays for failures in a row, and the waits that grow with them.
      if machine.hasDelivered { retry.budget?.fill() }
      var left: Int?
      if !isFree, let budget = retry.budget, let host = sent.first?.origin {
        left = budget.take(for: host)
        guard left != nil else {
          call.journal.record(.notRetried(because: "\(RetryRefusal.budgetSpent)"))
          return false
        }
      }
      state.withLock { $0.wait = wait }
      let remark = asked.map {
        ", instead of the \($0.shortText) of its retry, see ReconnectPolicy.maxServerDelay"
      }
      call.journal.record(
        .waiting(wait, because: "\(outcome)\(remark ?? "")", budget: left))
      return true
    }
  }

  /// Returns the last failure, with the call's log so far.
  fileprivate func ending(with error: any Error) -> any Error { error.telling(of: call.journal) }
}

extension AttemptOutcome {
  /// The outcome of a connection that failed.
  ///
  /// If a token refresh failed temporarily, the user stays signed in, and the refresh's own failure decides
  /// whether the stream reconnects.
  fileprivate init(ofConnection error: any Error, now: Date) {
    switch error as? TokenSessionError {
    case .refreshFailed(let cause): self.init(cause, now: now)
    case .refreshTimedOut: self = .fault(.timedOut, mayHaveBeenProcessed: false)
    default: self.init(error, now: now)
    }
  }
}

/// One step of a live stream, a connection or a wait, and the step that follows it.
struct LiveStreamTurn<Output: Sendable>: RelayRule {
  fileprivate let owner: LiveStream<Output>
  fileprivate let isWait: Bool

  func successor(of output: inout Output) -> RelayLeg<Self>? {
    owner.noteDelivery()
    return nil
  }

  func successor(after end: Subscribers.Completion<any Error>) throws -> RelayLeg<Self>? {
    if isWait { return owner.connection }
    if owner.shouldReconnect(after: end) { return owner.wait }
    if case .failure(let error) = end { throw owner.ending(with: error) }
    return nil
  }
}

extension LiveStream {
  /// Returns the stream as a publisher that starts again for each subscription.
  ///
  /// - Parameter make: A closure that makes the connections of one subscription.
  static func publisher(
    _ policy: ReconnectPolicy, retry: RetryPolicy?,
    make: @escaping @Sendable () -> @Sendable (LiveStream) -> AnyPublisher<Output, any Error>
  ) -> AnyPublisher<Output, any Error> {
    DeferredInContext { context in
      let clock = (policy.retry ?? retry)?.scheduler ?? .continuous
      let call = context.call ?? LogicalCall(clock: clock, in: context)
      let stream = LiveStream(policy, retry: retry, call: call, in: context, connect: make())
      return Relay(stream.connection, ending: call, in: context)
    }
    .eraseToAnyPublisher()
  }
}
