/// An activity that can be cancelled.
///
/// You can call `cancel()` any number of times, on any thread, and from inside any callback. After
/// a cancel on the delivering context returns, no signal arrives. After a cancel on another thread,
/// at most the one signal in flight arrives (contract C-4).
public protocol Cancellable: Sendable {
  func cancel()
}

extension Cancellable {
  /// Stores this cancellable in a set, which keeps it alive and cancels it on release.
  @inlinable public func store(in set: inout Set<AnyCancellable>) {
    set.insert(AnyCancellable(self))
  }

  /// Stores this cancellable in a collection, which keeps it alive and cancels it on release.
  @inlinable public func store<Collection: RangeReplaceableCollection<AnyCancellable>>(
    in collection: inout Collection
  ) {
    collection.append(AnyCancellable(self))
  }
}
