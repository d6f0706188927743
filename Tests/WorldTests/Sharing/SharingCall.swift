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
    /// The process; nil if each process finds the response.
    let process: Int?
    let epoch: Int
    let road: Int
    let path: Int
    let language: String

    /// Whether its responses are in the folder: what has a secret is in the memory of its process.
    var isOfFolder: Bool { caller == .nobody }
  }

  let number: Int
  let ask: SharingPlan.Ask
  let begin: Duration
  let place: Place
  /// The user that responses have to name; nil if no user is signed in.
  let user: String?
  /// What the process itself has changed before.
  let own: SharingWorld.Knowledge
  /// What has changed before, as far as what the process has stored must show it.
  let known: SharingWorld.Knowledge
  /// The number of changes and removals before.
  let changes: Int
  /// Whether it must be a hit.
  let isHit: Bool
  private let subscriber: TestSubscriber<RESTResponse, any Error>
  private let isCancelled = Lock(false)

  /// - Parameter block: Blocks the caller's thread for a time.
  init(
    number: Int, ask: SharingPlan.Ask, begin: Duration, of plan: SharingPlan,
    in state: SharingWorld.State, block: @escaping @Sendable (Duration) -> Void
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
      caller: ask.caller, process: ask.caller == .nobody ? nil : ask.process, epoch: epoch,
      road: ask.road, path: ask.path, language: plan.varies[ask.path] ? ask.language : "-")
    own = state.own[ask.process]
    known = place.isOfFolder ? state.knowledge(of: ask.process) : own
    changes = state.changes
    isHit = ask.use == .standard && state.finds(place, in: ask.process, at: begin)
    subscriber = TestSubscriber(demand: ask.isBlocked ? .none : .unlimited) { _, _ in
      if let time = ask.blockTime { block(.seconds(time)) }
      return .none
    }
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
