/// Room for some of the values that are on their way to another context.
@usableFromInline package final class HopBlock<Element> {
  @usableFromInline let mark = LiveMark(.hopBlock)
  @usableFromInline let slots: UnsafeMutableBufferPointer<Element>
  @usableFromInline var next: HopBlock?

  @inlinable package init(capacity: Int) {
    slots = .allocate(capacity: capacity)
  }

  @inlinable deinit {
    slots.deallocate()
  }

  /// Twice the room of this one, up to a limit: a line of one value is small, a long one is made of
  /// few blocks.
  @inlinable package func makeNext() -> HopBlock {
    HopBlock(capacity: min(slots.count * 2, 128))
  }
}

/// The end of a line at which values are put in.
///
/// A line has two ends that may be on two threads and share no word that changes. How many values are
/// between them is for both to say, by an atomic count: a value belongs to the outlet as soon as it is
/// counted.
@frozen @usableFromInline package struct HopInlet<Element> {
  @usableFromInline var block: HopBlock<Element>
  @usableFromInline var used = 0

  @inlinable package init(_ block: HopBlock<Element>) {
    self.block = block
  }

  @inlinable package mutating func append(_ element: consuming Element) {
    if used == block.slots.count {
      let next = block.makeNext()
      block.next = next
      block = next
      used = 0
    }
    block.slots.initializeElement(at: used, to: element)
    used += 1
  }

  /// Takes out what was put in last and not counted.
  @inlinable package mutating func removeLast() -> Element {
    used -= 1
    return block.slots.moveElement(from: used)
  }
}

/// The end of a line at which values are taken out.
@frozen @usableFromInline package struct HopOutlet<Element> {
  @usableFromInline var block: HopBlock<Element>
  @usableFromInline var used = 0

  @inlinable package init(_ block: HopBlock<Element>) {
    self.block = block
  }

  /// Takes out one of the values that are counted.
  @inlinable package mutating func removeFirst() -> Element {
    // Taken out, so that blocks are released one by one and not each by the one before.
    if used == block.slots.count, let next = block.next.take() {
      block = next
      used = 0
    }
    defer { used += 1 }
    return block.slots.moveElement(from: used)
  }
}
