import StreamsFixtures
import Testing

@testable import Streams

@Suite("The storage that a FIFO keeps", .leakFree)
struct FIFORoomTests {
  /// A queue whose storage has no room left behind, of more than eight elements.
  private func full() -> FIFO<Int> {
    var queue = FIFO<Int>()
    while queue.count < 8 || queue.storage.count < queue.storage.capacity { queue.append(0) }
    return queue
  }

  @Test("A FIFO reuses its front when half of the storage is free there")
  func takesBack() {
    var queue = full()
    let (count, capacity) = (queue.storage.count, queue.storage.capacity)
    let taken = (count + 1) / 2
    for _ in 0..<taken { _ = queue.popFirst() }
    queue.append(1)
    #expect(queue.storage.count == count - taken + 1)
    #expect(queue.storage.capacity == capacity)
    #expect(queue.head == 0)
  }

  @Test("A FIFO grows when less than half of the storage is free at its front")
  func grows() {
    var queue = full()
    let count = queue.storage.count
    let taken = (count + 1) / 2 - 1
    for _ in 0..<taken { _ = queue.popFirst() }
    queue.append(1)
    #expect(queue.storage.count == count + 1)
    #expect(queue.head == taken)
  }

  @Test("Elements do not move while the storage has room at its back")
  func staysInPlace() {
    var queue = full()
    queue.append(0)
    let count = queue.storage.count
    #expect(count < queue.storage.capacity)
    for _ in 0..<(count - 1) { _ = queue.popFirst() }
    queue.append(1)
    #expect(queue.storage.count == count + 1)
    #expect(queue.head == count - 1)
  }

  @Test("An empty FIFO keeps storage for 64 elements and frees a larger one")
  func drained() {
    for count in [64, 65] {
      var queue = FIFO<Int>()
      for value in 0..<count { queue.append(value) }
      for _ in 0..<count { _ = queue.popFirst() }
      #expect((queue.storage.capacity >= 64) == (count == 64))
    }
  }

  @Test("The removal of the first element by its kind moves no other element")
  func firstTakenOut() {
    var queue = full()
    let count = queue.storage.count
    #expect(queue.removeFirst { _ in true } == 0)
    #expect(queue.head == 1)
    #expect(queue.storage.count == count)
    #expect(queue.count == count - 1)
  }

  @Test("A FIFO reuses its storage after its last element is removed out of order")
  func lastTakenOut() {
    var queue = FIFO<Int>()
    for value in 0..<2 { queue.append(value) }
    let capacity = queue.storage.capacity
    #expect(queue.popFirst() == 0)
    #expect(queue.removeFirst { $0 == 1 } == 1)
    #expect(queue.head == 0)
    #expect(queue.storage.capacity == capacity)
    #expect(queue.popFirst() == nil)
    #expect(queue.isEmpty)
    queue.append(2)
    #expect(queue.popFirst() == 2)
  }
}
