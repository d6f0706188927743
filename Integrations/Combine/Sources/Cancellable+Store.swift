import Streams

extension Streams.Cancellable {
  /// Stores this cancellable in a Combine set, which cancels it when the set releases it.
  ///
  /// A class that is migrated call by call therefore needs only one set.
  public func store(in set: inout Set<CombineFramework.AnyCancellable>) {
    set.insert(CombineFramework.AnyCancellable(cancel))
  }
}

extension CombineFramework.Cancellable {
  /// Stores this cancellable in a set of Streams, which cancels it when the set releases it.
  ///
  /// It is canceled once, on the thread that cancels first.
  public func store(in set: inout Set<Streams.AnyCancellable>) {
    set.insert(Streams.AnyCancellable(CombineCancellable(cancellable: self)))
  }
}

/// A Combine cancellable that an `AnyCancellable` of Streams holds.
private struct CombineCancellable<Base: CombineFramework.Cancellable>: Streams.Cancellable,
  @unchecked Sendable
{
  // Unchecked is correct: Combine does not mark its cancellables, and its own code cancels them on
  // any thread. The holder cancels this once and then releases it.
  let cancellable: Base

  func cancel() {
    cancellable.cancel()
  }
}
