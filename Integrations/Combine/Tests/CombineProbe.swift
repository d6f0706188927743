import StreamsCombine
import Synchronization

/// A Combine subscriber that records its signals and requests as configured.
final class CombineProbe<Failure: Error & Equatable>: CombineFramework.Subscriber, Sendable {
  private struct State {
    var subscription: Subscription?
    var values: [Int] = []
    var completions: [Ending] = []
    var subscriptions = 0
  }

  /// Combine's subscriptions are not marked as `Sendable`.
  private struct Subscription: @unchecked Sendable {
    let base: any CombineFramework.Subscription
  }

  enum Ending: Equatable, Sendable {
    case finished
    case failure(Failure)
  }

  private let state = Mutex(State())
  private let initial: Int
  private let onValue: @Sendable (CombineProbe, Int) -> Int

  /// - Parameters:
  ///   - initial: How many values to ask for when the subscription comes; all if negative.
  ///   - onValue: Runs for each value; says how many more to ask for.
  init(
    asking initial: Int = -1,
    onValue: @escaping @Sendable (CombineProbe, Int) -> Int = { _, _ in 0 }
  ) {
    self.initial = initial
    self.onValue = onValue
  }

  var values: [Int] { state.withLock { $0.values } }
  var completions: [Ending] { state.withLock { $0.completions } }
  var subscriptions: Int { state.withLock { $0.subscriptions } }

  func request(_ count: Int) {
    state.withLock { $0.subscription }?.base.request(count < 0 ? .unlimited : .max(count))
  }

  func cancel() {
    state.withLock { $0.subscription }?.base.cancel()
  }

  /// Releases the subscription, which holds the upstream.
  func forget() {
    let released = state.withLock { $0.subscription.take() }
    withExtendedLifetime(released) {}
  }

  func receive(subscription: any CombineFramework.Subscription) {
    let subscription = Subscription(base: subscription)
    state.withLock { state in
      state.subscription = subscription
      state.subscriptions += 1
    }
    if initial != 0 { request(initial) }
  }

  func receive(_ input: Int) -> CombineFramework.Subscribers.Demand {
    state.withLock { $0.values.append(input) }
    return .max(onValue(self, input))
  }

  func receive(completion: CombineFramework.Subscribers.Completion<Failure>) {
    let ending: Ending =
      switch completion {
      case .finished: .finished
      case .failure(let error): .failure(error)
      }
    state.withLock { $0.completions.append(ending) }
  }
}
