import Fixtures
import Foundation
import RESTKit
import Streams
import StreamsTesting

/// The store that all sessions share.
///
/// It complains of what must not be put there, and fails when the plan says so.
final class WorldStore: TokenStore {
  /// The user that the app wants to be signed in.
  enum Owner: Sendable, Equatable {
    case nobody
    case user(Int)
    /// The app is at it, or the store has failed it.
    case unknown
  }

  private struct State: Sendable {
    var credential: Credential?
    var owner = Owner.nobody
    var isBroken = false
    var isTaken = false
    /// The latest token of each sign-in that was stored.
    var latest: [Int: Int] = [:]
  }

  struct Broken: Error {}

  private let network: WorldNetwork
  private let plan: WorldPlan
  private let turns = RefreshTurns()
  private let state = Lock(State())

  init(_ plan: WorldPlan, network: WorldNetwork) {
    self.plan = plan
    self.network = network
  }

  var content: Credential? { state.withLock { $0.credential } }
  var owner: Owner { state.withLock { $0.owner } }
  var isTaken: Bool { state.withLock { $0.isTaken } }

  func setOwner(_ owner: Owner) { state.withLock { $0.owner = owner } }

  func setBroken(_ isBroken: Bool) { state.withLock { $0.isBroken = isBroken } }

  func read() throws -> Credential? {
    let state = state.withLock { $0 }
    if state.isBroken { throw Broken() }
    return state.credential
  }

  func write(_ credential: Credential?) throws {
    try put(credential) { _ in true }
  }

  func replace(_ old: Credential?, with new: Credential?) throws -> Bool {
    try put(new) { $0 == old }
  }

  @discardableResult
  private func put(_ new: Credential?, if isMeant: (Credential?) -> Bool) throws -> Bool {
    let number = new.flatMap { credential in
      network.state.withLock { $0.server.number(ofAccess: credential.accessToken) }
    }
    let token = number.map { number in network.state.withLock { $0.server.tokens[number] } }
    let (isPut, owner, older) = try state.withLock { state in
      if state.isBroken { throw Broken() }
      guard isMeant(state.credential) else { return (false, state.owner, nil as Int?) }
      state.credential = new
      var older: Int?
      if let number, let token {
        older = state.latest[token.family].flatMap { $0 > number ? $0 : nil }
        state.latest[token.family] = number
      }
      return (true, state.owner, older)
    }
    guard isPut, let new, !plan.storeFails else { return isPut }
    if let older { network.complain("\(new.accessToken) is stored after token \(older)") }
    switch owner {
    case .unknown: break
    case .nobody: network.complain("\(new.accessToken) is stored after a sign-out")
    case .user(let user):
      if token?.user != user {
        network.complain("\(new.accessToken) is stored, though user \(user) is signed in")
      }
    }
    return true
  }

  func refreshTurn() -> AnyPublisher<AnyCancellable, any Error> {
    guard plan.polls else { return turns.next }
    let pause = Just(()).delay(for: .milliseconds(20), scheduler: network.scheduler)
      .setFailureType(to: (any Error).self)
    return Deferred { [self] in Result { try takeTurn() }.publisher }
      .retryOn({ $0 is AnothersTurn }, retries: .max, chainedPublisher: pause)
      .eraseToAnyPublisher()
  }

  private struct AnothersTurn: Error {}

  private func takeTurn() throws -> AnyCancellable {
    let isFree = state.withLock { state in
      defer { state.isTaken = true }
      return !state.isTaken
    }
    guard isFree else { throw AnothersTurn() }
    return AnyCancellable { [self] in state.withLock { $0.isTaken = false } }
  }
}
