import Streams
import StreamsFixtures
import StreamsTesting
import Testing

/// The loop in which the first thread works for the others.
@Suite("C-5, C-6: the trampoline", .leakFree)
struct TrampolineTests {
  /// A line of items, and the loop that works on them.
  private final class Desk<Item: Sendable>: Sendable {
    private struct State: Sendable {
      var waiting = FIFO<Item>()
      var isOver = false
      var looks = 0

      mutating func next() -> Item? {
        looks += 1
        return isOver ? nil : waiting.popFirst()
      }
    }

    private let state = Lock(State())
    private let loop = Trampoline()
    private let work: @Sendable (Desk, Item) -> Void

    init(work: @escaping @Sendable (Desk, Item) -> Void) {
      self.work = work
    }

    /// How often the loop has asked for an item.
    var looks: Int { state.withLock { $0.looks } }

    func add(_ items: Item...) {
      state.withLock { state in
        for item in items { state.waiting.append(item) }
      }
      drain()
    }

    func drain() {
      loop.drain(state, next: { $0.next() }) { work(self, $0) }
    }

    func stop() {
      let released = state.withLock { state in
        state.isOver = true
        return state.waiting.takeAll()
      }
      withExtendedLifetime(released) {}
    }
  }

  @Test("Work that adds work is continued by the loop, in order, one piece at a time")
  func reentrancy() {
    let seen = Recording<Int>()
    let depth = Depth()
    let desk = Desk<Int> { desk, number in
      depth.enter()
      if number < 10 { desk.add(number * 10, number * 10 + 1) }
      seen.add(number)
      depth.leave()
    }
    desk.add(1, 2)
    #expect(seen.elements == [1, 2, 10, 11, 20, 21])
    #expect(depth.count == 1)
  }

  @Test("After a stop no item is worked on, neither a waiting nor a later one")
  func stop() {
    let seen = Recording<Int>()
    let desk = Desk<Int> { desk, number in
      seen.add(number)
      if number == 2 { desk.stop() }
    }
    desk.add(1, 2, 3)
    desk.add(4)
    #expect(seen.elements == [1, 2])
  }

  @Test("The state is asked once more for all calls that came during a piece of work")
  func looks() {
    let desk = Desk<Int> { desk, number in
      for _ in 0..<1_000 { desk.drain() }
    }
    desk.add(1)
    // For the item, for the next one, and for the calls.
    #expect(desk.looks == 3)
    desk.drain()
    #expect(desk.looks == 4)
  }

  @Test("Items are released without the lock: those that were used, and those that a stop drops")
  func release() {
    let (used, released) = (Tally(), Tally())
    let releasedInTime = Box(0)
    #expect(
      runsOnSmallStack(within: 10) {
        let desk = Desk<ReleaseProbe> { desk, _ in
          switch used.add() {
          case 1: for _ in 0..<4 { desk.add(Self.probe(of: desk, released)) }
          case 2: desk.stop()
          default: break
          }
        }
        desk.add(Self.probe(of: desk, released))
        withExtendedLifetime(desk) { releasedInTime.set(released.count) }
      })
    #expect(used.count == 2)
    #expect(releasedInTime.value == 5)
  }

  /// An item whose release takes the desk's lock.
  private static func probe(of desk: Desk<ReleaseProbe>, _ released: Tally) -> ReleaseProbe {
    ReleaseProbe { [weak desk] in
      if let desk, desk.looks > 0 { released.add() }
    }
  }

  @Test("An owner that nobody holds releases the items that were not worked on")
  func deinitialization() {
    let released = Tally()
    do {
      let desk = Desk<ReleaseProbe> { _, _ in }
      desk.stop()
      desk.add(ReleaseProbe { released.add() })
      #expect(released.count == 0)
    }
    #expect(released.count == 1)
  }

  @Test("C-5: very many items that each add the next one, and very many steps, need no stack")
  func depth() {
    let seen = Tally()
    let steps = Tally()
    #expect(
      runsOnSmallStack {
        let desk = Desk<Int> { desk, number in
          seen.add()
          if number < manyTimes { desk.add(number + 1) }
        }
        desk.add(1)
        let stepper = Stepper { stepper in
          if steps.add() < manyTimes { stepper.run() }
        }
        stepper.run()
      })
    #expect(seen.count == manyTimes)
    #expect(steps.count == manyTimes)
  }

  private final class Stepper: Sendable {
    private let loop = Trampoline()
    private let step: @Sendable (Stepper) -> Void

    init(step: @escaping @Sendable (Stepper) -> Void) {
      self.step = step
    }

    func run() {
      loop.run { step(self) }
    }
  }

  @Test("Items of several threads are each worked on once, one at a time, in each thread's order")
  func threads() {
    let (threads, rounds, most) = (3, 500, 8)
    let seen = (0..<rounds).map { _ in Recording<(thread: Int, number: Int)>() }
    let depth = Depth()
    let desks = seen.map { seen in
      Desk<(thread: Int, number: Int)> { desk, item in
        depth.enter()
        seen.add(item)
        depth.leave()
      }
    }
    #expect(
      raceEnds(threads: threads, rounds: rounds) { round, thread in
        // The round is the seed of how many items each thread adds, and of its pauses.
        let count = 1 + (round &* 31 &+ thread &* 17) % most
        for number in 0..<count {
          desks[round].add((thread: thread, number: number))
          for _ in 0..<(round &* (number + 1) &* (thread + 1)) % 50 { _ = desks[round].looks }
        }
      })
    #expect(depth.count == 1)
    for round in 0..<rounds {
      let items = seen[round].elements
      for thread in 0..<threads {
        let numbers = items.filter { $0.thread == thread }.map { $0.number }
        #expect(numbers == Array(0..<(1 + (round &* 31 &+ thread &* 17) % most)))
      }
    }
  }

  @Test("Steps of several threads each run once, one at a time")
  func stepsOfThreads() {
    let rounds = 500
    let steps = (0..<rounds).map { _ in Tally() }
    let depth = Depth()
    let steppers = steps.map { steps in
      Stepper { _ in
        depth.enter()
        steps.add()
        depth.leave()
      }
    }
    #expect(
      raceEnds(threads: 3, rounds: rounds) { round, thread in
        for _ in 0...(round + thread) % 4 { steppers[round].run() }
      })
    #expect(depth.count == 1)
    for round in 0..<rounds {
      #expect(steps[round].count == (0..<3).reduce(0) { $0 + 1 + (round + $1) % 4 })
    }
  }
}
