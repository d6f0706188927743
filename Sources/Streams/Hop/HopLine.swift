/// A block of storage for values on their way to another context.
@usableFromInline final class HopBlock<Element> {
  @usableFromInline let mark = LeakMark("hopBlock")
  @usableFromInline let slots: UnsafeMutableBufferPointer<Element>
  @usableFromInline var next: HopBlock?

  @inlinable init(capacity: Int) {
    slots = .allocate(capacity: capacity)
  }

  @inlinable deinit {
    slots.deallocate()
  }

  /// Makes a block of twice the size, up to a limit.
  ///
  /// A line of one value is therefore small, and a long line has few blocks.
  @inlinable func makeNext() -> HopBlock {
    HopBlock(capacity: min(slots.count * 2, 128))
  }
}

/// The end of a line at which values are added.
///
/// A line has two ends, which may be on two threads and share no mutable word. An atomic count
/// tells both ends how many values are between them. A value belongs to the outlet as soon as it is
/// counted.
@frozen @usableFromInline struct HopInlet<Element> {
  @usableFromInline var block: HopBlock<Element>
  @usableFromInline var used = 0

  @inlinable init(_ block: HopBlock<Element>) {
    self.block = block
  }

  @inlinable mutating func append(_ element: consuming Element) {
    if used == block.slots.count {
      let next = block.makeNext()
      block.next = next
      block = next
      used = 0
    }
    block.slots.initializeElement(at: used, to: element)
    used += 1
  }

  /// Removes the value that was added last and is not counted yet.
  @inlinable mutating func removeLast() -> Element {
    used -= 1
    return block.slots.moveElement(from: used)
  }
}

/// The end of a line at which values are removed.
@frozen @usableFromInline struct HopOutlet<Element> {
  @usableFromInline var block: HopBlock<Element>
  @usableFromInline var used = 0

  @inlinable init(_ block: HopBlock<Element>) {
    self.block = block
  }

  /// Removes the first of the counted values.
  @inlinable mutating func removeFirst() -> Element {
    // The next block is taken out, so that blocks are released one by one and not recursively.
    if used == block.slots.count, let next = block.next.take() {
      block = next
      used = 0
    }
    defer { used += 1 }
    return block.slots.moveElement(from: used)
  }
}
