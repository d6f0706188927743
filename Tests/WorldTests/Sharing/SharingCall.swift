import Fixtures
import Foundation
import RESTKit
import Streams
import StreamsTesting

/// One call of the app, and what it may get.
final class SharingCall: Sendable {
  /// What its response may be used for.
  struct Place: Hashable, Sendable {
    let caller: SharingPlan.Caller
    let epoch: Int
    let road: Int
    let path: Int
    let language: String
  }

  let number: Int
  let ask: SharingPlan.Ask
  let begin: Duration
  let place: Place
  /// The user that responses have to name; nil if no user is signed in.
  let user: String?
  /// The oldest edition that is not too old.
  let edition: Int
  /// What may be used was confirmed after this.
  let removal: Duration
  /// Whether it must be a hit.
  let isHit: Bool
  private let subscriber: TestSubscriber<RESTResponse, any Error>
  private let isCancelled = Lock(false)

  init(
    number: Int, ask: SharingPlan.Ask, begin: Duration, of plan: SharingPlan,
    in state: SharingWorld.State
  ) {
    self.number = number
    self.ask = ask
    self.begin = begin
    var epoch = 0
    switch ask.caller {
    case .nobody: user = "nobody"
    case .session(let session):
      user = state.users[session].map { "user \($0)" }
      epoch = state.epochs[session]
    case .field(let index): user = "field \(index)"
    }
    place = Place(
      caller: ask.caller, epoch: epoch, road: ask.road, path: ask.path,
      language: plan.varies[ask.path] ? ask.language : "-")
    edition = state.editions[ask.road][ask.path]
    removal = state.removal
    isHit = ask.use == .standard && state.fresh[place].map { begin < $0 } ?? false
    subscriber = TestSubscriber(demand: ask.isBlocked ? .none : .unlimited)
  }

  func run(
    _ response: some Publisher<RESTResponse, any Error>,
    _ check: @escaping @Sendable (RESTResponse) -> Void
  ) {
    response.handleEvents(receiveOutput: check).receive(subscriber: subscriber)
  }

  func open() {
    if ask.isBlocked { subscriber.request(.unlimited) }
  }

  func cancel() {
    guard !hasEnded else { return }
    isCancelled.withLock { $0 = true }
    subscriber.cancel()
  }

  var hasEnded: Bool { subscriber.completion != nil }
  var wasCancelled: Bool { isCancelled.withLock { $0 } }
  var failure: (any Error)? { subscriber.failure }
  var values: Int { subscriber.values.count }
}
