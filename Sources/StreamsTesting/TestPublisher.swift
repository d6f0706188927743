import Streams

/// A publisher that a test controls, and that records the requests of its subscribers.
///
/// It sends any signal on command, also signals that break the rules: values beyond the demand or
/// after the end, or a second subscription. It thus shows how the stages below behave with an
/// incorrect publisher.
public final class TestPublisher<Output: Sendable, Failure: Error>: Publisher {
  private struct State: Sendable {
    var subscribers: [AnySubscriber<Output, Failure>?] = []
    var requests: [Subscribers.Demand] = []
    var cancelCount = 0
  }

  private let onSubscribe: @Sendable (TestPublisher) -> Void
  private let state = Lock(State())

  /// - Parameter onSubscribe: A closure that runs after each subscriber has received its
  ///   subscription, on the subscriber's thread.
  public init(onSubscribe: @escaping @Sendable (TestPublisher) -> Void = { _ in }) {
    self.onSubscribe = onSubscribe
  }

  /// The number of subscribers so far.
  public var subscriptionCount: Int { state.withLock { $0.subscribers.count } }

  /// The number of subscribers that it still holds, which have not cancelled and have not ended.
  public var subscriberCount: Int {
    state.withLock { state in state.subscribers.reduce(0) { $1 == nil ? $0 : $0 + 1 } }
  }

  /// The demands of all calls of `request`, in order.
  public var requests: [Subscribers.Demand] { state.withLock { $0.requests } }

  /// The number of cancels of its subscriptions.
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

  /// Sends a value to the latest subscriber, whether or not it requested one.
  ///
  /// - Returns: The demand that the subscriber returned, or none if there is no subscriber.
  @discardableResult
  public func send(_ value: Output) -> Subscribers.Demand {
    latest?.receive(value) ?? .none
  }

  /// Ends the latest subscriber's stream.
  ///
  /// - Parameters:
  ///   - completion: The completion to send.
  ///   - isForgotten: Whether to release the subscriber, as a correct publisher does.
  public func send(
    completion: Subscribers.Completion<Failure>, forgetting isForgotten: Bool = true
  ) {
    let subscriber = latest
    if isForgotten { forget(at: state.withLock { $0.subscribers.count - 1 }) }
    subscriber?.receive(completion: completion)
  }

  /// Sends one more subscription to the latest subscriber.
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
