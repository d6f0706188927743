import Dispatch
import Streams

/// A subscriber that checks each signal as it arrives.
final class ConformanceProbe<Input: Sendable, Failure: Error>: Subscriber {
  typealias Hook = @Sendable (ConformanceProbe) -> Void
  typealias ValueHook = @Sendable (ConformanceProbe, _ index: Int) -> Subscribers.Demand

  /// The signals received so far.
  struct Record: Sendable {
    var subscriptions = 0
    var values = 0
    /// The first two hundred values.
    var texts: [String] = []
    var end: String?
    var late = 0

    /// The end as text.
    var endText: String { end ?? "no end" }

    var isFailed: Bool { end?.hasPrefix("failure") == true }
  }

  private struct State: Sendable {
    var record = Record()
    var outstanding = Subscribers.Demand.none
    var inside = 0
    var cancelledBy: (rule: ConformanceRule, allowance: Int)?
  }

  private let log: ConformanceLog
  private let keeper: SubscriptionKeeper
  private let limit: Int
  private let demandRule: ConformanceRule?
  private let onSubscription: Hook
  private let onValue: ValueHook
  private let onEnd: Hook
  private let state = Lock(State())
  /// A semaphore that is signaled for each signal.
  let bell = DispatchSemaphore(value: 0)

  /// - Parameters:
  ///   - limit: The number of values after which the probe cancels, which is enough for an endless
  ///     publisher.
  ///   - demandRule: The rule that a value beyond the demand breaks, or nil to ignore such a value.
  init(
    _ log: ConformanceLog, keeper: SubscriptionKeeper = SubscriptionKeeper(), limit: Int = 10_000,
    demandRule: ConformanceRule? = .demand, demand: Subscribers.Demand = .unlimited,
    onValue: @escaping ValueHook = { _, _ in .none },
    onSubscription: Hook? = nil, onEnd: @escaping Hook = { _ in }
  ) {
    self.log = log
    self.keeper = keeper
    self.limit = limit
    self.demandRule = demandRule
    self.onSubscription = onSubscription ?? { if demand > .none { $0.request(demand) } }
    self.onValue = onValue
    self.onEnd = onEnd
  }

  var context: SubscriptionContext { SubscriptionContext().setting(ProbeKey.self, to: true) }

  var record: Record { state.withLock { $0.record } }

  func request(_ demand: Subscribers.Demand) {
    state.withLock { $0.outstanding += demand }
    keeper.subscription?.request(demand)
  }

  /// - Parameters:
  ///   - rule: The rule that a later signal breaks.
  ///   - allowance: The number of signals that may still arrive.
  func cancel(_ rule: ConformanceRule = .finalCancel, allowing allowance: Int = 0) {
    guard let subscription = keeper.subscription else { return }
    subscription.cancel()
    state.withLock { state in
      if state.cancelledBy == nil { state.cancelledBy = (rule, allowance) }
    }
  }

  func receive(subscription: any Subscription) {
    let (subscriptions, isClean) = state.withLock { state in
      state.record.subscriptions += 1
      return (state.record.subscriptions, state.record.values == 0 && state.record.end == nil)
    }
    log.expect(
      .oneSubscription, subscriptions == 1, "one subscription", seen: "\(subscriptions) of them")
    log.expect(
      .subscriptionFirst, isClean, "the subscription as the first signal",
      seen: "a signal came before the subscription")
    guard keeper.keep(subscription) else { return subscription.cancel() }
    onSubscription(self)
    bell.signal()
  }

  func receive(_ input: Input) -> Subscribers.Demand {
    let text = "\(input)"
    let before = state.withLock { state in
      let before = state
      state.inside += 1
      state.record.values += 1
      if state.record.texts.count < 200 { state.record.texts.append(text) }
      if state.cancelledBy != nil { state.record.late += 1 }
      state.outstanding -= 1
      return before
    }
    judge("value \(text)", before)
    if let demandRule {
      log.expect(
        demandRule, before.outstanding > .none, "no more values than were requested",
        seen: "value \(before.record.values + 1) came without demand")
    }
    if before.record.values + 1 >= limit { cancel() }
    let more = onValue(self, before.record.values + 1)
    state.withLock { state in
      state.inside -= 1
      state.outstanding += more
    }
    bell.signal()
    return more
  }

  func receive(completion: Subscribers.Completion<Failure>) {
    let text =
      switch completion {
      case .finished: "finished"
      case .failure(let error): "failure \(error)"
      }
    let before = state.withLock { state in
      let before = state
      state.inside += 1
      if state.record.end == nil { state.record.end = text }
      if state.cancelledBy != nil { state.record.late += 1 }
      return before
    }
    judge("the end, \(text),", before)
    onEnd(self)
    state.withLock { $0.inside -= 1 }
    bell.signal()
  }

  private func judge(_ signal: String, _ before: State) {
    log.expect(
      .serial, before.inside == 0, "one signal at a time",
      seen: "\(signal) came while another signal was being received")
    log.expect(
      .subscriptionFirst, before.record.subscriptions > 0, "the subscription as the first signal",
      seen: "\(signal) came before the subscription")
    if let end = before.record.end {
      log.expect(
        .nothingAfterEnd, false, "nothing after the end",
        seen: "\(signal) came after the end, \(end)")
    }
    if let cancelled = before.cancelledBy {
      log.expect(
        cancelled.rule, before.record.late < cancelled.allowance,
        "at most \(cancelled.allowance) signals after the cancel",
        seen: "\(signal) came after the cancel")
    }
  }
}

/// The key that marks the context of a probe.
enum ProbeKey: SubscriptionContextKey {
  static var defaultValue: Bool { false }
}

/// A place for a subscription outside the subscriber, like that of a caller that holds a
/// cancellable.
final class SubscriptionKeeper: Sendable {
  private let state = Lock<(any Subscription)?>(nil)

  var subscription: (any Subscription)? { state.withLock { $0 } }

  /// Keeps only the first subscription.
  func keep(_ subscription: any Subscription) -> Bool {
    state.withLock { state in
      guard state == nil else { return false }
      state = subscription
      return true
    }
  }
}

/// A weak reference that can be passed around.
struct WeakReference<Object: AnyObject & Sendable>: Sendable {
  private weak var object: Object?

  init(_ object: Object) {
    self.object = object
  }

  var isReleased: Bool { object == nil }
}
