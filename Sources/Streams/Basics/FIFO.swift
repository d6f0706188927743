/// A first-in, first-out queue with constant amortized cost at both ends.
@usableFromInline package struct FIFO<Element> {
  @usableFromInline var storage: [Element?] = []
  @usableFromInline var head = 0

  @inlinable package init() {}

  @inlinable package var isEmpty: Bool { head == storage.count }
  @inlinable package var count: Int { storage.count - head }
  @inlinable package var first: Element? { isEmpty ? nil : storage[head] }

  @inlinable package mutating func append(_ element: Element) {
    // Instead of growing, the queue reuses the room at the front. If it is only drained, nothing
    // moves.
    if storage.count == storage.capacity, head * 2 >= storage.count {
      storage.removeFirst(head)
      head = 0
    }
    storage.append(element)
  }

  @inlinable package mutating func popFirst() -> Element? {
    // In the usual queue, one element waits, and the storage stays.
    if storage.count == 1 { return storage.removeLast() }
    guard head < storage.count else { return nil }
    let element = storage[head].take()
    head += 1
    if head == storage.count {
      storage.removeAll(keepingCapacity: head <= 64)
      head = 0
    }
    return element
  }

  /// Removes and returns the first element of a kind.
  ///
  /// The time is constant if that is the first element of all. Otherwise it grows with the number
  /// of elements.
  @inlinable package mutating func removeFirst(where isMeant: (Element) -> Bool) -> Element? {
    for index in head..<storage.count {
      guard let element = storage[index], isMeant(element) else { continue }
      if index == head { return popFirst() }
      storage.remove(at: index)
      if head == storage.count {
        storage.removeAll(keepingCapacity: true)
        head = 0
      }
      return element
    }
    return nil
  }

  /// Replaces the element that was added last, and returns the old one.
  @inlinable package mutating func replaceLast(_ element: Element) -> Element? {
    guard !isEmpty else { return nil }
    defer { storage[storage.count - 1] = element }
    return storage[storage.count - 1].take()
  }

  /// Returns all waiting elements and leaves the queue empty.
  @inlinable package mutating func takeAll() -> FIFO {
    let all = self
    self = FIFO()
    return all
  }
}

extension FIFO: Sendable where Element: Sendable {}
