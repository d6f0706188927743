import Streams

extension Streams.Cancellable {
  /// Keeps this alive in a set of Combine's, and cancels it when the set lets go of it.
  ///
  /// So a class that is moved over call by call needs one set only.
  public func store(in set: inout Set<CombineFramework.AnyCancellable>) {
    set.insert(CombineFramework.AnyCancellable(cancel))
  }
}

extension CombineFramework.Cancellable {
  /// Keeps this alive in a set of Streams, and cancels it when the set lets go of it: once, on the
  /// thread that does so first.
  public func store(in set: inout Set<Streams.AnyCancellable>) {
    set.insert(Streams.AnyCancellable(CombineCancellable(cancellable: self)))
  }
}

/// A Combine cancellable that `AnyCancellable` of Streams holds.
private struct CombineCancellable<Base: CombineFramework.Cancellable>: Streams.Cancellable,
  @unchecked Sendable
{
  // Unchecked is right: Combine does not mark its cancellables, and its own code cancels them on any
  // thread. Who holds this calls it once and releases it then.
  let cancellable: Base

  func cancel() {
    cancellable.cancel()
  }
}
