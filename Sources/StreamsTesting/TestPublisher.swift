import Streams

/// A publisher that a test plays by hand, and that records what its subscribers ask for.
///
/// It sends what it is told to, also what breaks the rules: values beyond the demand or after the
/// end, a second subscription. So it shows what stands below it how a bad publisher behaves.
public final class TestPublisher<Output: Sendable, Failure: Error>: Publisher {
  private struct State: Sendable {
    var subscribers: [AnySubscriber<Output, Failure>?] = []
    var requests: [Subscribers.Demand] = []
    var cancelCount = 0
  }

  private let onSubscribe: @Sendable (TestPublisher) -> Void
  private let state = Lock(State())

  /// - Parameter onSubscribe: Runs after each subscriber was handed its subscription, on its thread.
  public init(onSubscribe: @escaping @Sendable (TestPublisher) -> Void = { _ in }) {
    self.onSubscribe = onSubscribe
  }

  /// How many subscribers there have been.
  public var subscriptionCount: Int { state.withLock { $0.subscribers.count } }

  /// How many subscribers it still holds: not cancelled and not ended.
  public var subscriberCount: Int {
    state.withLock { state in state.subscribers.reduce(0) { $1 == nil ? $0 : $0 + 1 } }
  }

  /// What was asked for through `request`, in order.
  public var requests: [Subscribers.Demand] { state.withLock { $0.requests } }

  /// How many times a subscription was cancelled.
  public var cancelCount: Int { state.withLock { $0.cancelCount } }

  public func receive<Downstream: Subscriber>(subscriber: Downstream)
  where Downstream.Input == Output, Downstream.Failure == Failure {
    let index = state.withLock { state in
      state.subscribers.append(AnySubscriber(subscriber))
      return state.subscribers.count - 1
    }
    subscriber.receive(subscription: TestSubscription(publisher: self, index: index))
    onSubscribe(self)
  }

  /// Sends a value to the latest subscriber, whether or not it asked.
  ///
  /// - Returns: What it asked for in turn; none if there is no subscriber.
  @discardableResult
  public func send(_ value: Output) -> Subscribers.Demand {
    latest?.receive(value) ?? .none
  }

  /// Ends the latest subscriber's stream.
  ///
  /// - Parameters:
  ///   - completion: The end.
  ///   - isForgotten: Whether to let go of the subscriber, as a good publisher does.
  public func send(
    completion: Subscribers.Completion<Failure>, forgetting isForgotten: Bool = true
  ) {
    let subscriber = latest
    if isForgotten { forget(at: state.withLock { $0.subscribers.count - 1 }) }
    subscriber?.receive(completion: completion)
  }

  /// Hands the latest subscriber one more subscription.
  public func sendSubscription(_ subscription: any Subscription) {
    latest?.receive(subscription: subscription)
  }

  private var latest: AnySubscriber<Output, Failure>? {
    state.withLock { state in state.subscribers.last.flatMap { $0 } }
  }

  private func forget(at index: Int) {
    let released = state.withLock { state in
      state.subscribers.indices.contains(index) ? state.subscribers[index].take() : nil
    }
    withExtendedLifetime(released) {}
  }

  private struct TestSubscription: Subscription {
    let publisher: TestPublisher
    let index: Int

    func request(_ demand: Subscribers.Demand) {
      publisher.state.withLock { $0.requests.append(demand) }
    }

    func cancel() {
      publisher.state.withLock { $0.cancelCount += 1 }
      publisher.forget(at: index)
    }
  }
}
