import Foundation
import Streams

/// A live stream, subscribed to once: connections, the waits between them, and what is decided after each.
final class LiveStream<Output: Sendable>: Sendable {
  private struct State: Sendable {
    var machine: ReconnectMachine
    var generator: any RandomNumberGenerator & Sendable
    var hasBegun = false
    var wait = Duration.zero
    var serverDelay: Duration?
  }

  /// The retry policy of the stream: its clock, a budget of its own, and what may pass.
  let retry: RetryPolicy
  let policy: ReconnectPolicy
  let call: LogicalCall
  private let ledger: PartLedger
  /// What a connection is given.
  private let context: SubscriptionContext
  private let connect: @Sendable (LiveStream) -> AnyPublisher<Output, any Error>
  private let state: Lock<State>

  /// - Parameters:
  ///   - retry: That of the API.
  ///   - context: That of the subscriber.
  ///   - connect: Makes the next connection.
  init(
    _ policy: ReconnectPolicy, retry: RetryPolicy?, call: LogicalCall,
    in context: SubscriptionContext,
    connect: @escaping @Sendable (LiveStream) -> AnyPublisher<Output, any Error>
  ) {
    self.policy = policy
    var retry = policy.retry ?? retry ?? RetryPolicy(budget: nil)
    // Minutes without a network would take from the calls what they need when it is back.
    retry.budget = retry.budget?.separate
    self.retry = retry
    self.call = call
    self.connect = connect
    let inside: SubscriptionContext
    (ledger, inside) = context.beginningPart(of: call, keyMaker: retry.keyMaker)
    self.context = inside.setting(IsRetried.self, to: true)
    state = Lock(
      State(
        machine: ReconnectMachine(policy, rule: RetryRule(policy: retry)),
        generator: retry.generator))
  }

  // MARK: What comes next

  /// The next connection.
  var connection: RelayLeg<LiveStreamTurn<Output>> {
    let isFirst = state.withLock { state in
      state.machine.begin()
      defer { state.hasBegun = true }
      return !state.hasBegun
    }
    call.journal.settle()
    if !isFirst {
      call.beginRepetition(of: ledger, cause: .reconnect)
      ledger.begin()
      // A token may expire more than once while the server is away.
      call.renewRefresh()
    }
    return RelayLeg(
      connect(self), rule: LiveStreamTurn(owner: self, isWait: false), context: context)
  }

  /// The wait before it.
  fileprivate var wait: RelayLeg<LiveStreamTurn<Output>> {
    let wait = Empty<Output, any Error>().delay(
      for: state.withLock { $0.wait }, scheduler: retry.scheduler)
    return RelayLeg(wait.eraseToAnyPublisher(), rule: LiveStreamTurn(owner: self, isWait: true))
  }

  // MARK: What a connection tells

  /// The server took the request.
  func noteOpening() {
    // A token that expires from now on is another one than the one that was taken.
    call.renewRefresh()
    guard let budget = retry.budget, !budget.isFull, let host = ledger.sentRequests.first?.origin
    else { return }
    budget.noteSuccess(of: host)
  }

  /// The server wants no further connection.
  func noteEnd() {
    state.withLock { $0.machine.noteEnd() }
  }

  /// The server has said how long to wait between connections.
  func noteServerDelay(_ delay: Duration) {
    state.withLock { $0.serverDelay = delay }
  }

  /// Something came.
  fileprivate func noteDelivery() {
    state.withLock { $0.machine.noteDelivery() }
  }

  // MARK: What is decided

  /// Decides, and where there is another connection notes its wait.
  fileprivate func shouldReconnect(after end: Subscribers.Completion<any Error>) -> Bool {
    let outcome: ReconnectMachine.Outcome =
      switch end {
      case .finished: .ended
      case .failure(let error): .failed(AttemptOutcome(ofConnection: error, now: retry.wallClock()))
      }
    let sent = ledger.sentRequests
    // A user's generator runs without the lock; signals come one at a time.
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
      // What a stream pays for is failures in a row, as the waits are that grow.
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
        ", and not the \($0.shortText) of its retry, see ReconnectPolicy.maxServerDelay"
      }
      call.journal.record(
        .waiting(wait, because: "\(outcome)\(remark ?? "")", budget: left))
      return true
    }
  }

  /// The last failure, with what the call tells of itself by now.
  fileprivate func ending(with error: any Error) -> any Error { error.telling(of: call.journal) }
}

extension AttemptOutcome {
  /// A refresh that failed for now is what made it fail: whoever is signed in stays so, and what keeps the
  /// token away as a rule keeps the stream away, too.
  fileprivate init(ofConnection error: any Error, now: Date) {
    switch error as? TokenSessionError {
    case .refreshFailed(let cause): self.init(cause, now: now)
    case .refreshTimedOut: self = .fault(.timedOut, mayHaveBeenProcessed: false)
    default: self.init(error, now: now)
    }
  }
}

/// What a live stream does at a time, and what follows from that.
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
  /// The stream as a publisher, made anew for each subscription.
  ///
  /// - Parameter make: Makes the connections of one subscription.
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
