import Streams
import StreamsTesting
import Synchronization
import Testing

@Suite("TestScheduler with much work", .leakFree, .timeLimit(.minutes(10)))
struct TestSchedulerOrderTests {
  /// A scheduler that looks at all that waits for each step: slow, and easy to believe.
  private struct Model {
    private(set) var now = 0
    private var next = 0
    private var waiting: [(number: Int, due: Int)] = []
    private var generator: SeededGenerator?

    init(seed: UInt64?) { generator = seed.map { SeededGenerator(seed: $0) } }

    var count: Int { waiting.count }

    mutating func add(after delay: Int) -> Int {
      waiting.append((next, now + max(delay, 0)))
      waiting.sort { ($0.due, $0.number) < ($1.due, $1.number) }
      next += 1
      return next - 1
    }

    mutating func cancel(_ number: Int) { waiting.removeAll { $0.number == number } }

    mutating func step() -> Int? {
      guard let due = waiting.first?.due else { return nil }
      now = due
      guard var generator else { return waiting.removeFirst().number }
      let ready = waiting.prefix { $0.due == due }.count
      let place = Int.random(in: 0..<ready, using: &generator)
      self.generator = generator
      return waiting.remove(at: place).number
    }
  }

  private final class Log: Sendable {
    private let state = Mutex<[Int]>([])
    var entries: [Int] { state.withLock { $0 } }
    func add(_ entry: Int) { state.withLock { $0.append(entry) } }
  }

  @Test("Drawn adds, cancels and steps run work as a plain list does", arguments: [false, true])
  func model(isSeeded: Bool) {
    for seed in UInt64(0)..<60 {
      var generator = SeededGenerator(seed: seed)
      var model = Model(seed: isSeeded ? seed : nil)
      let scheduler = TestScheduler(seed: isSeeded ? seed : nil)
      let log = Log()
      var handles: [any Cancellable] = []
      var ran: [Int] = []
      var isAlike = true
      for _ in 0..<200 {
        switch Int.random(in: 0..<8, using: &generator) {
        case 0..<4:
          let delay = Int.random(in: -1..<4, using: &generator)
          let number = model.add(after: delay)
          handles.append(scheduler.schedule(after: .seconds(delay)) { log.add(number) })
        case 4, 5:
          guard let number = handles.indices.randomElement(using: &generator) else { continue }
          model.cancel(number)
          handles[number].cancel()
        default:
          if let number = model.step() { ran.append(number) }
          scheduler.run(limit: 1)
        }
        isAlike =
          isAlike && scheduler.pendingCount == model.count && scheduler.now == .seconds(model.now)
      }
      #expect(isAlike, "seed \(seed)")
      while let number = model.step() { ran.append(number) }
      scheduler.run()
      #expect(log.entries == ran, "seed \(seed)")
    }
  }

  // With a cost that grows with the square, each of these takes an hour in a debug build.
  @Test("100,000 pieces of work run at one time, at rising and falling times", arguments: [nil, 5])
  func many(seed: UInt64?) {
    let count = 100_000
    let delays: [@Sendable (Int) -> Int] = [{ _ in 1 }, { $0 }, { count - $0 }]
    for delay in delays {
      let scheduler = TestScheduler(seed: seed)
      let ran = Atomic<Int>(0)
      for number in 0..<count {
        scheduler.schedule(after: .microseconds(delay(number))) {
          ran.add(1, ordering: .relaxed)
        }
      }
      #expect(scheduler.pendingCount == count)
      scheduler.advance(by: .seconds(1))
      #expect(ran.load(ordering: .relaxed) == count)
      #expect(scheduler.pendingCount == 0)
    }
  }

  @Test("100,000 pieces of work are cancelled, before and while others of their time run")
  func cancels() {
    for seed in [nil, 5] as [UInt64?] {
      let scheduler = TestScheduler(seed: seed)
      let count = 100_000
      let handles = (0..<count).map { number in
        scheduler.schedule(after: .seconds(number % 7)) { Issue.record("cancelled work ran") }
      }
      for handle in handles { handle.cancel() }
      #expect(scheduler.pendingCount == 0)

      let ran = Atomic<Int>(0)
      let left = Mutex<[any Cancellable]>([])
      let again = (0..<count).map { _ in
        scheduler.schedule(after: .seconds(1)) {
          ran.add(1, ordering: .relaxed)
          for handle in left.withLock({ $0 }) { handle.cancel() }
        }
      }
      left.withLock { $0 = again }
      scheduler.run(limit: 1)
      #expect(ran.load(ordering: .relaxed) == 1)
      #expect(scheduler.pendingCount == 0)
      scheduler.schedule { ran.add(1, ordering: .relaxed) }
      scheduler.advance()
      #expect(ran.load(ordering: .relaxed) == 2)
    }
  }

  private final class Witness: Sendable {}

  @Test("Cancelled work is released at once, also if it was about to run", arguments: [nil, 5])
  func release(seed: UInt64?) {
    let scheduler = TestScheduler(seed: seed)
    weak var held: Witness?
    let handle = scheduled(on: scheduler, &held)
    _ = scheduler.schedule(after: .seconds(1)) {}
    _ = scheduler.schedule(after: .seconds(1)) {}
    #expect(held != nil)
    scheduler.advance(by: .seconds(0.5))
    // Draws the order of what is due; whatever has run is not held either.
    scheduler.run(limit: 1)
    handle.cancel()
    #expect(held == nil)
    let count = scheduler.pendingCount
    handle.cancel()
    #expect(scheduler.pendingCount == count)
    scheduler.run()
    #expect(scheduler.pendingCount == 0)
  }

  private func scheduled(on scheduler: TestScheduler, _ held: inout Witness?) -> any Cancellable {
    let witness = Witness()
    held = witness
    return scheduler.schedule(after: .seconds(1)) { withExtendedLifetime(witness) {} }
  }

  @Test("What is left of much cancelled work runs in the order of its times")
  func orderAfterCancels() {
    var generator = SeededGenerator(seed: 43)
    let scheduler = TestScheduler()
    let ran = Lock<[Int]>([])
    let times = (0..<1_000).map { _ in Int.random(in: 0..<1_000_000, using: &generator) }
    let handles = times.map { time in
      scheduler.schedule(after: .milliseconds(time)) { ran.withLock { $0.append(time) } }
    }
    let cancelled = Set(times.indices.shuffled(using: &generator).prefix(900))
    for index in cancelled { handles[index].cancel() }
    scheduler.run()
    let left = times.indices.filter { !cancelled.contains($0) }.map { times[$0] }
    #expect(ran.withLock { $0 } == left.sorted())
  }

  @Test("A late cancel of work that has run removes no other work")
  func staleCancel() {
    let scheduler = TestScheduler()
    let log = Log()
    let first = scheduler.schedule(after: .zero) { log.add(1) }
    scheduler.advance()
    _ = scheduler.schedule(after: .zero) { log.add(2) }
    first.cancel()
    scheduler.advance()
    #expect(log.entries == [1, 2])
  }

  @Test("A handle does not hold its scheduler, and may be called after it")
  func handles() {
    weak var scheduler: TestScheduler?
    let handle = {
      let made = TestScheduler()
      scheduler = made
      return made.schedule(after: .zero) {}
    }()
    #expect(scheduler == nil)
    handle.cancel()
  }
}
