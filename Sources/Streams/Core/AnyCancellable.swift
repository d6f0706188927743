import Synchronization

/// Cancels what it holds when it is told to, or when nobody holds it any more.
///
/// Keep it for as long as the values matter: dropping it at once cancels at once. What it holds is
/// cancelled once, however many threads ask, and released then.
public final class AnyCancellable: Cancellable, Hashable {
  /// One once somebody has cancelled; two more for each thread that is about it.
  @usableFromInline let word = Atomic<UInt>(0)

  // Unsafe is right: who is counted in `word` reads it. The last who leaves clears it, and nobody
  // enters after that. The deinit has nobody beside it.
  @exclusivity(unchecked) @usableFromInline nonisolated(unsafe) var held: any Cancellable

  /// Runs a closure, once, on the thread that cancels.
  @inlinable public init(_ cancel: @escaping @Sendable () -> Void) {
    held = CancelClosure(perform: cancel)
  }

  /// Cancels another cancellable.
  @inlinable public init<Base: Cancellable>(_ base: Base) {
    held = base
  }

  deinit {
    // Nobody else is left to pick from.
    if word.load(ordering: .relaxed) == 0 { held.cancel() }
  }

  @inlinable public func cancel() {
    var before = word.load(ordering: .acquiring)
    while before != Self.spent {
      let (entered, found) = word.compareExchange(
        expected: before, desired: (before | Self.spent) + Self.visitor, ordering: .acquiring)
      if entered {
        if before == 0 { held.cancel() } else { cancelAgain() }
        leave()
        return
      }
      before = found
    }
  }

  /// Another thread has begun to cancel and has not come to its end.
  ///
  /// A cancel on the delivering context must be final when it returns (contract C-4), and must not
  /// wait for that thread: so it does the same itself, where that does no harm.
  @usableFromInline func cancelAgain() {
    (held as? any RepeatableCancellable)?.cancel()
  }

  @usableFromInline func leave() {
    let left = word.subtract(Self.visitor, ordering: .acquiringAndReleasing).newValue
    guard left == Self.spent else { return }
    let released = exchange(&held, with: EmptySubscription())
    withExtendedLifetime(released) {}
  }

  @inlinable static var spent: UInt { 1 }
  @inlinable static var visitor: UInt { 2 }

  /// Puts this into a set, which keeps it alive; once, however often it is stored.
  @inlinable public func store(in set: inout Set<AnyCancellable>) {
    set.insert(self)
  }

  /// Puts this into a collection, which keeps it alive.
  @inlinable public func store<Collection: RangeReplaceableCollection<AnyCancellable>>(
    in collection: inout Collection
  ) {
    collection.append(self)
  }

  public static func == (lhs: AnyCancellable, rhs: AnyCancellable) -> Bool { lhs === rhs }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(self))
  }
}

@frozen @usableFromInline struct CancelClosure: Cancellable {
  @usableFromInline let perform: @Sendable () -> Void

  @inlinable init(perform: @escaping @Sendable () -> Void) {
    self.perform = perform
  }

  @inlinable func cancel() {
    perform()
  }
}

/// What may be cancelled by two threads at once: the cancel of each is final when it returns.
@usableFromInline package protocol RepeatableCancellable: Cancellable {}

extension AnyCancellable: RepeatableCancellable {}
