/// A signal that broke the rules of the protocol.
///
/// Streams never traps on a publisher that misbehaves. It drops the signal and reports the
/// violation here (contract C-15). Only a completion without a subscription is passed on, because
/// the downstream must learn of the end. Install an observer in tests, or in an app to log
/// violations.
public struct ContractViolation: Sendable, CustomStringConvertible {
  /// The rule that was broken.
  ///
  /// The numbers are those of Reactive Streams 1.0.4.
  public enum Rule: String, Sendable, CaseIterable {
    case valueBeforeSubscription = "a value came before the subscription (1.9)"
    case valueAfterEnd = "a value came after the end (1.7)"
    case secondEnd = "a completion came after the end (1.7)"
    case endBeforeSubscription = "a completion came before the subscription (1.9)"
    case secondSubscription = "a second subscription came (2.5)"
    case overlap = "a signal came from inside another (1.3)"
    case moreThanDemanded = "more values came than were requested (1.1)"
  }

  public let rule: Rule
  /// The type that detected the violation, usually the stage below the one at fault.
  public let reporter: String

  public var description: String {
    "\(reporter) detected a contract violation: \(rule.rawValue). Check the publisher above it."
  }

  /// Calls a closure for every violation in the process until the result is cancelled or released.
  ///
  /// - Parameter handler: A closure that runs on the thread that detected the violation, with no
  ///   lock held.
  public static func observe(
    _ handler: @escaping @Sendable (ContractViolation) -> Void
  ) -> AnyCancellable {
    let id = ViolationObservers.shared.add(handler)
    return AnyCancellable { ViolationObservers.shared.remove(id) }
  }

  /// Reports a violation to the observers.
  ///
  /// Call this method in your own operators when they drop such a signal.
  ///
  /// - Parameters:
  ///   - rule: The rule that was broken.
  ///   - reporter: The type that detected the violation.
  public static func report(_ rule: Rule, by reporter: Any.Type) {
    let handlers = ViolationObservers.shared.all
    guard !handlers.isEmpty else { return }
    let violation = ContractViolation(rule: rule, reporter: String(reflecting: reporter))
    for handler in handlers { handler(violation) }
  }
}

/// The observers of the whole process, because a violation can occur on any thread.
private final class ViolationObservers: Sendable {
  typealias Handler = @Sendable (ContractViolation) -> Void

  static let shared = ViolationObservers()

  private let state = Lock<(nextID: Int, handlers: [(id: Int, handler: Handler)])>((0, []))

  var all: [Handler] { state.withLock { $0.handlers.map(\.handler) } }

  func add(_ handler: @escaping Handler) -> Int {
    state.withLock { state in
      state.nextID += 1
      state.handlers.append((state.nextID, handler))
      return state.nextID
    }
  }

  func remove(_ id: Int) {
    let removed = state.withLock { state in
      state.handlers.firstIndex { $0.id == id }.map { state.handlers.remove(at: $0) }
    }
    withExtendedLifetime(removed) {}
  }
}
