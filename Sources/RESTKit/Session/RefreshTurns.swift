import Streams

/// Lets those who share a store refresh one at a time, in the order in which they came.
///
/// ```swift
/// final class SettingsTokenStore: TokenStore {
///   private let turns = RefreshTurns()
///
///   func refreshTurn() -> AnyPublisher<AnyCancellable, any Error> { turns.next }
/// }
/// ```
///
/// It reaches the sessions of one process: keep one for each credential, for as long as sessions use
/// that. Its methods may be called on any thread.
public final class RefreshTurns: Sendable {
  private typealias Resolve = Single<AnyCancellable, any Error>.Resolve

  private struct State: Sendable {
    /// Who waits, by the number of the place in the line.
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

    /// Begins to hand the turn on, unless somebody does.
    mutating func begin() -> Bool {
      guard !isHandingOn else { return false }
      isHandingOn = true
      return true
    }

    /// Whose turn it is now; nil ends the handing on.
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

  /// Waits for the turn, which comes once: others wait until it is cancelled or released.
  ///
  /// A subscription takes its place in the line at once. A cancel of it gives that up, and a turn
  /// that came meanwhile.
  ///
  /// - Delivery: On the subscribing thread where nobody has the turn, else on that of who gives it
  ///   back.
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

  /// Whoever gets a turn may give it back at once: a loop, and no recursion.
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
