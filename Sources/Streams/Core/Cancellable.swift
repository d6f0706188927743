/// Something that can be stopped.
///
/// `cancel()` may be called any number of times, on any thread, from inside any callback. When it
/// returns on the context that delivers, nothing more arrives; called from another thread, at most
/// the one signal in flight does (contract C-4).
public protocol Cancellable: Sendable {
  func cancel()
}

extension Cancellable {
  /// Keeps this alive in a set, and cancels it when the set lets go of it.
  @inlinable public func store(in set: inout Set<AnyCancellable>) {
    set.insert(AnyCancellable(self))
  }

  /// Keeps this alive in a collection, and cancels it when the collection lets go of it.
  @inlinable public func store<Collection: RangeReplaceableCollection<AnyCancellable>>(
    in collection: inout Collection
  ) {
    collection.append(AnyCancellable(self))
  }
}
