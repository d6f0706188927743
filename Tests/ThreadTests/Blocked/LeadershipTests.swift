#if os(Linux)
  import Fixtures
  import Testing

  @testable import HTTPTransport
  @testable import RESTKit

  @Suite("The leadership of an engine")
  struct LeadershipTests {
    private let lead = Seat()

    @Test("A word holds the whole state")
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
      #expect(lead.begin(mayBeAlone: true) == .alone)
      #expect(!lead.end(number))
      #expect(lead.end(lead.number))
    }

    @Test("Deliveries that end in time keep the lead, in any number")
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

    @Test("After the fourth idle look the watcher sleeps, and the next delivery wakes it")
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

    @Test("Without a watcher no delivery begins, unless it may be alone")
    func unwatched() {
      let before = lead.leadership
      #expect(lead.begin() == .refused)
      #expect(lead.leadership == before)
      #expect(lead.begin(mayBeAlone: true) == .alone)
      #expect(lead.end(lead.number))
      #expect(lead.takeWatch())
      #expect(lead.begin() == .watched)
    }

    @Test("There is one place for a watcher, which can be returned")
    func places() {
      #expect(lead.takeWatch())
      #expect(!lead.takeWatch())
      lead.giveWatchBack()
      #expect(lead.takeWatch())
    }

    @Test(
      "At the end the watcher is woken and leaves, and no other takes its place",
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
      arguments: 2...5)
    func interleavings(limit: Int) {
      for seed in 0..<100 {
        var pool = SimulatedPool(limit: limit, seed: seed)
        for _ in 0..<400 { pool.step() }
        #expect(pool.delivered > 0)
        pool.finish()
        #expect(pool.problems.isEmpty, "seed \(seed)")
        #expect(pool.atWork == 0, "seed \(seed)")
      }
    }
  }

  /// A `Leadership` that an expectation can change, and what its watcher remembers.
  private final class Seat {
    private(set) var leadership = Leadership()
    private var memory = Leadership.Memory()

    var word: UInt64 { leadership.word }
    var number: UInt64 { leadership.number }
    var watch: Leadership.Watch { leadership.watch }

    func begin(mayBeAlone: Bool = false) -> Leadership.Beginning {
      leadership.begin(mayBeAlone: mayBeAlone)
    }

    func end(_ number: UInt64) -> Bool { leadership.end(number) }
    func close() -> Bool { leadership.close() }
    func takeWatch() -> Bool { leadership.takeWatch() }
    func giveWatchBack() { leadership.giveWatchBack() }
    func look() -> Leadership.Look { leadership.look(&memory) }
    func leaveWatch() -> Bool { leadership.leaveWatch() }
  }
#endif
