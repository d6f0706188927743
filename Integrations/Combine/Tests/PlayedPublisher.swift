import StreamsCombine
import Synchronization

/// A Combine publisher that sends as a test requires, even against the rules, and records requests.
final class PlayedPublisher<Failure: Error>: CombineFramework.Publisher, Sendable {
  typealias Output = Int

  enum Call: Equatable, Sendable {
    /// Nil for no limit.
    case request(Int?)
    case cancel
  }

  private struct State {
    var downstream: Downstream?
    var calls: [Call] = []
  }

  /// Combine's subscribers are not marked as `Sendable`.
  private struct Downstream: @unchecked Sendable {
    let base: any CombineFramework.Subscriber<Int, Failure>
  }

  private let state = Mutex(State())
  private let subscribesAtOnce: Bool
  private let onRequest: @Sendable (PlayedPublisher, Int) -> Void

  /// - Parameters:
  ///   - subscribesAtOnce: Whether a subscriber is given a subscription when it comes.
  ///   - onRequest: Runs for each request, with the count; `Int.max` for no limit.
  init(
    subscribesAtOnce: Bool = true,
    onRequest: @escaping @Sendable (PlayedPublisher, Int) -> Void = { _, _ in }
  ) {
    self.subscribesAtOnce = subscribesAtOnce
    self.onRequest = onRequest
  }

  var calls: [Call] { state.withLock { $0.calls } }

  func receive<S: CombineFramework.Subscriber>(subscriber: S)
  where S.Input == Int, S.Failure == Failure {
    let downstream = Downstream(base: subscriber)
    state.withLock { $0.downstream = downstream }
    if subscribesAtOnce { subscribe() }
  }

  func subscribe() {
    downstream?.receive(subscription: PlayedSubscription(publisher: self))
  }

  /// - Returns: The demand that the subscriber returns; nil for no limit.
  @discardableResult
  func send(_ value: Int) -> Int? {
    (downstream?.receive(value) ?? .none).max
  }

  func send(completion: CombineFramework.Subscribers.Completion<Failure>) {
    downstream?.receive(completion: completion)
  }

  private var downstream: (any CombineFramework.Subscriber<Int, Failure>)? {
    state.withLock { $0.downstream }?.base
  }

  fileprivate func record(_ call: Call) {
    state.withLock { $0.calls.append(call) }
    if case .request(let count) = call { onRequest(self, count ?? .max) }
  }

  private final class PlayedSubscription: CombineFramework.Subscription {
    private let publisher: PlayedPublisher

    init(publisher: PlayedPublisher) {
      self.publisher = publisher
    }

    func request(_ demand: CombineFramework.Subscribers.Demand) {
      publisher.record(.request(demand.max))
    }

    func cancel() {
      publisher.record(.cancel)
    }
  }
}
