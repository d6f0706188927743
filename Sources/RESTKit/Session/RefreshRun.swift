import Foundation
import Streams

/// One refresh, from the turn at the store to the stored new token.
struct RefreshRun: Sendable {
  let order: RefreshOrder
  let session: TokenSession

  /// A publisher of one value: the outcome of the refresh.
  var outcome: AnyPublisher<RefreshOutcome, Never> {
    session.inTime(turn)
      .flatMap { turn in
        renewal
          .catch { Just(Self.end(with: $0)) }
          .map { outcome in
            // The turn ends before any call continues, since a call may need another refresh at
            // once.
            turn.cancel()
            return outcome
          }
          .handleEvents(receiveCancel: { turn.cancel() })
          .setFailureType(to: (any Error).self)
      }
      .catch { Just(Self.end(with: $0)) }
      .eraseToAnyPublisher()
  }

  /// The outcome of a failure.
  ///
  /// An error that is not the session's own is the grant's.
  private static func end(with error: any Error) -> RefreshOutcome {
    (error as? TokenSessionError).map { .failed($0) } ?? .notGranted(GrantError(error))
  }

  private var turn: AnyPublisher<AnyCancellable, any Error> {
    session.store.refreshTurn().first()
      .mapError { TokenSessionError.storeNotReadable($0) as any Error }
      .eraseToAnyPublisher()
  }

  /// Reads the store and renews, once this session has the turn.
  private var renewal: AnyPublisher<RefreshOutcome, any Error> {
    Deferred {
      Result { try read() }.publisher
        .flatMap { found in
          isForeign(found)
            ? Just(.changedElsewhere(found)).setFailureType(to: (any Error).self)
              .eraseToAnyPublisher()
            : renew(found)
        }
    }
    .eraseToAnyPublisher()
  }

  /// Whether the store holds a usable credential that another session stored.
  private func isForeign(_ found: Credential?) -> Bool {
    guard !order.isSignInUnsaved, found != order.stored, found != order.credential else {
      return false
    }
    guard let found else { return session.grant.requiresSignIn }
    guard let current = order.credential, current.account == found.account else { return true }
    return found.expiresAt.map { $0 > session.now.date } ?? true
  }

  private func renew(_ found: Credential?) -> AnyPublisher<RefreshOutcome, any Error> {
    // A credential that is in memory only is newer than the stored one.
    let isInMemory = order.isSignInUnsaved || found == order.stored
    let old = isInMemory ? order.credential : found
    return session.token(renewing: old)
      .tryMap { try store($0, renewing: old, insteadOf: found) }
      .tryCatch { try reconsider($0, after: found) }
      .eraseToAnyPublisher()
  }

  private func store(
    _ given: GivenToken, renewing old: Credential?, insteadOf found: Credential?
  ) throws -> RefreshOutcome {
    let new = try given.credential(renewing: old)
    do {
      if try session.store.replace(found, with: new) {
        // The store looks the same before a sign-in and after a sign-out if it is empty both times.
        session.correct(new, ofVersion: order.version)
        return .renewed(new, stored: .success(()))
      }
    } catch {
      return .renewed(new, stored: .failure(error))
    }
    return .changedElsewhere(try read())
  }

  /// Checks whether a refusal has another cause: a session that renewed the same credential without
  /// waiting for a turn.
  private func reconsider(
    _ error: any Error, after found: Credential?
  ) throws -> Just<RefreshOutcome> {
    guard case GrantError.permanent = error else { throw error }
    let now = try read()
    guard now != found else { throw error }
    return Just(.changedElsewhere(now))
  }

  private func read() throws -> Credential? {
    do {
      return try session.store.read()
    } catch {
      throw TokenSessionError.storeNotReadable(error)
    }
  }
}

/// The context key of the session that waits for the requests of its refresh.
enum RefreshingSessionKey: SubscriptionContextKey {
  static var defaultValue: SessionTag? { nil }
}

/// Turns that let the sessions of one store refresh one at a time, in the order of their requests.
///
/// ```swift
/// final class SettingsTokenStore: TokenStore {
///   private let turns = RefreshTurns()
///
///   func refreshTurn() -> AnyPublisher<AnyCancellable, any Error> { turns.next }
/// }
/// ```
///
/// The turns reach the sessions of one process. Keep one object for each credential, for as long as
/// sessions use that credential. The methods may be called on any thread.
public final class RefreshTurns: Sendable {
  private typealias Resolve = Single<AnyCancellable, any Error>.Resolve

  private struct State: Sendable {
    /// The waiting subscriptions, by their places in line.
    var waiting: [Int: Resolve] = [:]
    var first = 0
    var end = 0
    var isTaken = false

    mutating func join(_ resolve: @escaping Resolve) -> Int {
      defer { end += 1 }
      waiting[end] = resolve
      return end
    }

    /// Returns the subscription whose turn it is now; nil if the turn is taken, or nobody waits.
    mutating func next() -> Resolve? {
      guard !isTaken, !waiting.isEmpty else { return nil }
      while true {
        defer { first += 1 }
        guard let resolve = waiting.removeValue(forKey: first) else { continue }
        isTaken = true
        return resolve
      }
    }
  }

  private let state = Lock(State())
  private let handingOn = Trampoline()

  public init() {}

  /// A publisher of one turn.
  ///
  /// Other subscriptions wait until the turn is cancelled or released.
  ///
  /// A subscription takes its place in the line at once. A cancel gives up that place, and also a
  /// turn that arrived meanwhile.
  ///
  /// - Delivery: On the subscribing thread if the turn is free, otherwise on the thread that gives
  ///   it back.
  public var next: AnyPublisher<AnyCancellable, any Error> {
    Single { [self] resolve in
      let place = state.withLock { $0.join(resolve) }
      handOn()
      return AnyCancellable { [self] in leave(place) }
    }
    .eraseToAnyPublisher()
  }

  private func leave(_ place: Int) {
    let released = state.withLock { $0.waiting.removeValue(forKey: place) }
    withExtendedLifetime(released) {}
  }

  /// A subscriber may give its turn back at once, so this is a loop instead of a recursion.
  private func handOn() {
    handingOn.drain(state, next: { $0.next() }) { resolve in
      resolve(
        .success(
          AnyCancellable { [self] in
            state.withLock { $0.isTaken = false }
            handOn()
          }))
    }
  }
}
