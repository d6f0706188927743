import Fixtures
import Foundation
import RESTKit
import Streams
import StreamsTesting

/// One stream of the app: its subscriber, and what became of it.
final class LiveReader: Subscriber {
  typealias Input = String
  typealias Failure = any Error

  private struct State: Sendable {
    var subscription: (any Subscription)?
    var values: [String] = []
    var open = Subscribers.Demand.none
    var end: Subscribers.Completion<any Error>?
    var endTime: Duration?
    var isCancelled = false
    var skipped = 0
    var complaints: [String] = []
    var isInside = false
  }

  let number: Int
  let ask: LivePlan.Ask
  let app: LiveApp?
  /// Which sign-in of its app it belongs to.
  let epoch: Int
  let user: Int?
  let begin: Duration
  private let scheduler: TestScheduler
  /// Blocks the thread for a time.
  private let block: @Sendable (Duration) -> Void
  private let onEnd: @Sendable (LiveReader) -> Void
  private let state = Lock(State())

  init(
    number: Int, ask: LivePlan.Ask, app: LiveApp?, scheduler: TestScheduler,
    block: @escaping @Sendable (Duration) -> Void,
    onEnd: @escaping @Sendable (LiveReader) -> Void
  ) {
    self.number = number
    self.ask = ask
    self.app = app
    epoch = app?.epoch ?? 0
    user = app?.user
    begin = scheduler.now
    self.scheduler = scheduler
    self.block = block
    self.onEnd = onEnd
  }

  var values: [String] { state.withLock { $0.values } }
  var end: Subscribers.Completion<any Error>? { state.withLock { $0.end } }
  var endTime: Duration? { state.withLock { $0.endTime } }
  var isCancelled: Bool { state.withLock { $0.isCancelled } }
  var isOver: Bool { state.withLock { $0.isCancelled || $0.end != nil } }
  var skipped: Int { state.withLock { $0.skipped } }
  var complaints: [String] { state.withLock { $0.complaints } }

  func noteSkipped() { state.withLock { $0.skipped += 1 } }

  func cancel() {
    let subscription = state.withLock { state -> (any Subscription)? in
      guard state.end == nil, !state.isCancelled else { return nil }
      state.isCancelled = true
      state.endTime = scheduler.now
      return state.subscription.take()
    }
    guard let subscription else { return }
    subscription.cancel()
    onEnd(self)
  }

  /// Takes all other values.
  func open() {
    guard case .opened = ask.reading else { return }
    request(.unlimited)
  }

  func letGo() {
    let released = state.withLock { $0.subscription.take() }
    withExtendedLifetime(released) {}
  }

  private func request(_ demand: Subscribers.Demand) {
    let subscription = state.withLock { state in
      state.open += demand
      return state.subscription
    }
    subscription?.request(demand)
  }

  func receive(subscription: any Subscription) {
    let isLate = state.withLock { state in
      if state.subscription != nil { state.complaints.append("two subscriptions") }
      if !state.isCancelled { state.subscription = subscription }
      return state.isCancelled
    }
    guard !isLate else { return subscription.cancel() }
    switch ask.reading {
    case .all, .blocking, .prefix, .cancelling: request(.unlimited)
    case .oneByOne, .slowly: request(.max(1))
    case .opened(let count): request(.max(count))
    }
  }

  func receive(_ value: String) -> Subscribers.Demand {
    let count = state.withLock { state in
      if state.isInside { state.complaints.append("two signals at once") }
      if state.end != nil || state.isCancelled { state.complaints.append("a value after the end") }
      if state.open == .none { state.complaints.append("a value without demand") }
      state.open -= 1
      state.values.append(value)
      state.isInside = true
      return state.values.count
    }
    defer { state.withLock { $0.isInside = false } }
    switch ask.reading {
    case .all, .prefix, .opened: return .none
    case .oneByOne:
      state.withLock { $0.open += 1 }
      return .max(1)
    case .slowly(let pause):
      _ = scheduler.schedule(after: pause) { [weak self] in self?.request(.max(1)) }
      return .none
    case .blocking(let time, let every):
      if count.isMultiple(of: every) { block(time) }
      return .none
    case .cancelling(let last):
      if count == last { cancel() }
      return .none
    }
  }

  func receive(completion: Subscribers.Completion<any Error>) {
    let released = state.withLock { state in
      if state.isInside { state.complaints.append("two signals at once") }
      if state.end != nil || state.isCancelled { state.complaints.append("a second end") }
      state.end = completion
      state.endTime = scheduler.now
      return state.subscription.take()
    }
    withExtendedLifetime(released) {}
    onEnd(self)
  }
}

/// A session of the app.
final class LiveApp: Sendable {
  struct State: Sendable {
    var session: TokenSession?
    /// Counts what ends the calls of who was signed in.
    var epoch = 0
    var user: Int?
    var ends: AnyCancellable?
  }

  let number: Int
  let state = Lock(State())

  init(number: Int) {
    self.number = number
  }

  var session: TokenSession? { state.withLock { $0.session } }
  var epoch: Int { state.withLock { $0.epoch } }
  var user: Int? { state.withLock { $0.user } }

  /// Another user is signed in now, or no user.
  func turn(to user: Int?) {
    state.withLock { state in
      state.epoch += 1
      state.user = user
    }
  }

  func close() {
    let released = state.withLock { state in (state.session.take(), state.ends.take()) }
    withExtendedLifetime(released) {}
  }
}
