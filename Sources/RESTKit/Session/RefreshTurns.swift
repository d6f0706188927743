import Streams

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
/// The turns reach the sessions of one process. Keep one object for each credential, for as long as sessions
/// use that credential. The methods may be called on any thread.
public final class RefreshTurns: Sendable {
  private typealias Resolve = Single<AnyCancellable, any Error>.Resolve

  private struct State: Sendable {
    /// The waiting subscriptions, by their places in line.
    var waiting: [Int: Resolve] = [:]
    var first = 0
    var end = 0
    var isTaken = false
    var isHandingOn = false

    mutating func join(_ resolve: @escaping Resolve) -> Int {
      defer { end += 1 }
      waiting[end] = resolve
      return end
    }

    /// Begins to hand the turn on, unless another thread already does.
    mutating func begin() -> Bool {
      guard !isHandingOn else { return false }
      isHandingOn = true
      return true
    }

    /// Returns the subscription whose turn it is now; nil ends the handing on.
    mutating func next() -> Resolve? {
      guard !isTaken, !waiting.isEmpty else {
        isHandingOn = false
        return nil
      }
      while true {
        defer { first += 1 }
        guard let resolve = waiting.removeValue(forKey: first) else { continue }
        isTaken = true
        return resolve
      }
    }
  }

  private let state = Lock(State())

  public init() {}

  /// A publisher of one turn.
  ///
  /// Other subscriptions wait until the turn is cancelled or released.
  ///
  /// A subscription takes its place in the line at once. A cancel gives up that place, and also a turn that
  /// arrived meanwhile.
  ///
  /// - Delivery: On the subscribing thread if the turn is free, otherwise on the thread that gives it back.
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
    guard state.withLock({ $0.begin() }) else { return }
    while let resolve = state.withLock({ $0.next() }) {
      resolve(
        .success(
          AnyCancellable { [self] in
            state.withLock { $0.isTaken = false }
            handOn()
          }))
    }
  }
}
