import Synchronization

/// A cancellable that cancels its content when `cancel()` is called or when its last reference is
/// released.
///
/// Keep it for as long as the values matter. If nothing keeps it, it cancels at once. The content
/// is cancelled once and then released, even if several threads call `cancel()`.
public final class AnyCancellable: Cancellable, Hashable {
  /// One after the first cancel, plus two for each thread that is inside `cancel()`.
  @usableFromInline let word = Atomic<UInt>(0)

  // `nonisolated(unsafe)` is correct: only threads that are counted in `word` read this property.
  // The last of them to leave clears it, and no thread enters after that. No other thread runs
  // beside the deinit.
  @exclusivity(unchecked) @usableFromInline nonisolated(unsafe) var held: any Cancellable

  /// Creates a cancellable that runs a closure once, on the thread that cancels.
  @inlinable public init(_ cancel: @escaping @Sendable () -> Void) {
    held = CancelClosure(perform: cancel)
  }

  /// Creates a cancellable that cancels another cancellable.
  @inlinable public init<Base: Cancellable>(_ base: Base) {
    held = base
  }

  deinit {
    // No other thread has a reference any more, so a relaxed load is enough.
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

  /// Cancels the content again while another thread's cancel still runs.
  ///
  /// A cancel on the delivering context must be final when it returns (contract C-4), and must not
  /// wait for the other thread. This thread therefore cancels the content, too, if the content
  /// allows that.
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

  /// Stores this cancellable in a set, which keeps it alive.
  ///
  /// The set holds it once, however often it is stored.
  @inlinable public func store(in set: inout Set<AnyCancellable>) {
    set.insert(self)
  }

  /// Stores this cancellable in a collection, which keeps it alive.
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

/// A cancellable that two threads may cancel at the same time.
///
/// Each cancel is final when it returns.
@usableFromInline package protocol RepeatableCancellable: Cancellable {}

extension AnyCancellable: RepeatableCancellable {}
