#if os(Linux)
  import StreamsTesting
  import Testing

  @testable import RESTKit

  @Suite("Who leads an engine")
  struct LeadershipTests {
    private let lead = Seat()

    @Test("A word keeps all of it")
    func words() {
      #expect(Leadership(word: lead.word) == lead.leadership)
      for change in 0..<6 {
        switch change {
        case 0: #expect(lead.takeWatch())
        case 1: #expect(lead.begin() == .watched)
        case 2: #expect(lead.end(lead.number))
        case 3: while lead.look() != .lieDown {}
        case 4: #expect(lead.begin() == .wake)
        default: #expect(!lead.close())
        }
        #expect(Leadership(word: lead.word) == lead.leadership)
      }
    }

    @Test("A delivery that a watcher sees twice loses the lead, and its end comes too late")
    func takeOver() {
      #expect(lead.takeWatch())
      #expect(lead.begin() == .watched)
      let number = lead.number
      #expect(lead.look() == .again)
      #expect(lead.look() == .lead)
      #expect(lead.watch == .none)
      #expect(!lead.end(number))
      // Not even while the new leader delivers.
      #expect(lead.begin() == .alone)
      #expect(!lead.end(number))
      #expect(lead.end(lead.number))
    }

    @Test("Deliveries that end in time keep the lead, however many there are")
    func quickDeliveries() {
      #expect(lead.takeWatch())
      for _ in 0..<100 {
        #expect(lead.begin() == .watched)
        #expect(lead.look() == .again)
        #expect(lead.end(lead.number))
        #expect(lead.begin() == .watched)
        #expect(lead.end(lead.number))
        #expect(lead.look() == .again)
      }
    }

    @Test(
      "The fourth look in a row at nothing is the last, and the next delivery wakes the watcher")
    func quiet() {
      #expect(lead.takeWatch())
      #expect(lead.begin() == .watched)
      #expect(lead.end(lead.number))
      #expect(lead.look() == .again)
      for _ in 1..<Leadership.patience { #expect(lead.look() == .again) }
      #expect(lead.look() == .lieDown)
      #expect(lead.watch == .asleep)
      #expect(lead.begin() == .wake)
      #expect(lead.watch == .awake)
      #expect(lead.look() == .again)
      #expect(lead.look() == .lead)
    }

    @Test("A watcher that slept long leaves, unless it is being woken")
    func leaving() {
      #expect(lead.takeWatch())
      while lead.look() != .lieDown {}
      #expect(lead.begin() == .wake)
      #expect(!lead.leaveWatch())
      #expect(lead.end(lead.number))
      while lead.look() != .lieDown {}
      #expect(lead.leaveWatch())
      #expect(lead.watch == .none)
      #expect(lead.takeWatch())
    }

    @Test("There is one place to watch from, which can be given back")
    func places() {
      #expect(lead.takeWatch())
      #expect(!lead.takeWatch())
      lead.giveWatchBack()
      #expect(lead.takeWatch())
    }

    @Test(
      "At the end the watcher is woken and leaves, and nobody takes its place",
      arguments: [true, false])
    func over(isAsleep: Bool) {
      #expect(lead.takeWatch())
      if isAsleep { while lead.look() != .lieDown {} }
      #expect(lead.close() == isAsleep)
      #expect(lead.look() == .leave)
      #expect(lead.begin() == .watched)
      #expect(lead.end(lead.number))
      lead.giveWatchBack()
      #expect(!lead.takeWatch())
    }

    @Test(
      "In each interleaving one thread leads, one watches at most, and none is left behind",
      arguments: 0..<400)
    func interleavings(seed: Int) {
      var crew = SimulatedCrew(seed: seed)
      for _ in 0..<400 { crew.step() }
      #expect(crew.problems.isEmpty)
      #expect(crew.delivered > 0)
      crew.finish()
      #expect(crew.problems.isEmpty)
      #expect(crew.atWork == 0)
    }
  }

  /// A `Leadership` that an expectation can change, and what its watcher remembers.
  private final class Seat {
    private(set) var leadership = Leadership()
    private var memory = Leadership.Memory()

    var word: UInt64 { leadership.word }
    var number: UInt64 { leadership.number }
    var watch: Leadership.Watch { leadership.watch }

    func begin() -> Leadership.Beginning { leadership.begin() }
    func end(_ number: UInt64) -> Bool { leadership.end(number) }
    func close() -> Bool { leadership.close() }
    func takeWatch() -> Bool { leadership.takeWatch() }
    func giveWatchBack() { leadership.giveWatchBack() }
    func look() -> Leadership.Look { leadership.look(&memory) }
    func leaveWatch() -> Bool { leadership.leaveWatch() }
  }

  /// Threads that share a `Leadership` and take a step each in an order by seed.
  ///
  /// Their steps are those of `CurlCrew`, one change of the word each.
  private struct SimulatedCrew {
    private enum Step {
      case leading
      case delivering(UInt64)
      /// A user holds it up: the number of steps that are left.
      case heldUp(UInt64, Int)
      case watching(Leadership.Memory)
      case lying(Leadership.Memory)
      case spare
      case gone
    }

    private static let limit = 5

    private var generator: SeededGenerator
    private var lead = Leadership()
    private var threads: [Step] = [.leading]
    private var isClosing = false
    private(set) var problems: [String] = []
    private(set) var delivered = 0

    init(seed: Int) { generator = SeededGenerator(seed: UInt64(seed)) }

    var atWork: Int { threads.count { if case .gone = $0 { false } else { true } } }

    mutating func step() {
      let live = threads.indices.filter { if case .gone = threads[$0] { false } else { true } }
      guard let index = live.randomElement(using: &generator) else { return }
      advance(index)
      check()
    }

    /// Ends the engine, and has all threads come to their end.
    mutating func finish() {
      isClosing = true
      for _ in 0..<20_000 where atWork > 0 { step() }
    }

    private mutating func advance(_ index: Int) {
      switch threads[index] {
      case .leading:
        if isClosing {
          if lead.close() { wakeLying() }
          for spare in threads.indices {
            if case .spare = threads[spare] { threads[spare] = .gone }
          }
          threads[index] = .gone
        } else if Bool.random(using: &generator), isWatched() {
          if lead.begin() == .wake { wakeLying() }
          let isSlow = Int.random(in: 0..<4, using: &generator) == 0
          threads[index] =
            isSlow
            ? .heldUp(lead.number, Int.random(in: 1...60, using: &generator))
            : .delivering(lead.number)
        }
      case .delivering(let number):
        comeBack(index, number)
      case .heldUp(let number, 0):
        comeBack(index, number)
      case .heldUp(let number, let left):
        threads[index] = .heldUp(number, left - 1)
      case .watching(var memory):
        switch lead.look(&memory) {
        case .again: threads[index] = .watching(memory)
        case .lead: threads[index] = .leading
        case .lieDown: threads[index] = .lying(memory)
        case .leave: threads[index] = .gone
        }
      case .lying(let memory):
        guard Int.random(in: 0..<8, using: &generator) == 0 else { return }
        if lead.leaveWatch() {
          threads[index] = .gone
        } else {
          threads[index] = .watching(memory)
        }
      case .spare, .gone:
        break
      }
    }

    private mutating func isWatched() -> Bool {
      guard lead.takeWatch() else { return true }
      if let spare = threads.firstIndex(where: { if case .spare = $0 { true } else { false } }) {
        threads[spare] = .watching(Leadership.Memory())
      } else if atWork < Self.limit {
        threads.append(.watching(Leadership.Memory()))
      } else {
        lead.giveWatchBack()
        return false
      }
      return true
    }

    private mutating func wakeLying() {
      for index in threads.indices {
        if case .lying(let memory) = threads[index] { threads[index] = .watching(memory) }
      }
    }

    private mutating func comeBack(_ index: Int, _ number: UInt64) {
      delivered += 1
      if lead.end(number) {
        threads[index] = .leading
      } else if lead.takeWatch() {
        threads[index] = .watching(Leadership.Memory())
      } else {
        threads[index] = lead.isOver ? .gone : .spare
      }
    }

    private mutating func check() {
      var leaders = 0
      var watchers = 0
      for thread in threads {
        switch thread {
        case .leading: leaders += 1
        // One that lost the lead does not know yet.
        case .delivering(let number), .heldUp(let number, _):
          if lead.isDelivering, lead.number == number { leaders += 1 }
        case .watching, .lying: watchers += 1
        case .spare, .gone: break
        }
      }
      if leaders != (lead.isOver ? 0 : 1) { problems.append("\(leaders) lead") }
      if watchers > 1 { problems.append("\(watchers) watch") }
      if atWork > Self.limit { problems.append("\(atWork) threads") }
      if (watchers == 1) != (lead.watch != .none), !lead.isOver {
        problems.append("\(watchers) watch, and the word says \(lead.watch)")
      }
    }
  }
#endif
