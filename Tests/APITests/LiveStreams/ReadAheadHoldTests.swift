import Streams
import StreamsTesting
import Testing

@testable import RESTKit

@Suite("A source that waits for its reader is no silence")
struct ReadAheadHoldTests {
  /// A reader whose values the test takes.
  private final class Reader: ReadAhead {
    private let waiting = Lock<[@Sendable () -> Void]>([])
    private let isBehind = Lock(false)

    func isAhead(whenTaken: @escaping @Sendable () -> Void) -> Bool {
      guard !isBehind.withLock({ $0 }) else { return false }
      waiting.withLock { $0.append(whenTaken) }
      return true
    }

    func takeAll() {
      let waiting = waiting.withLock { waiting in
        defer { waiting = [] }
        return waiting
      }
      for whenTaken in waiting { whenTaken() }
    }

    func fallBehind() { isBehind.withLock { $0 = true } }

    func getAhead() { isBehind.withLock { $0 = false } }
  }

  @Test("Each wait is a hold, until the reader has taken its values")
  func waits() {
    let (reader, clock) = (Reader(), TestScheduler())
    let hold = ReadAheadHold(of: reader, clock: clock)
    #expect(!hold.isOn && hold.end == nil)
    for number in 1...3 {
      #expect(hold.isAhead {})
      #expect(hold.isOn)
      clock.advance(by: .seconds(1))
      reader.takeAll()
      #expect(!hold.isOn)
      #expect(hold.end == .seconds(number))
    }
  }

  @Test("With two sources the hold lasts until the second one goes on")
  func twoSources() {
    let (first, clock) = (Reader(), TestScheduler())
    let hold = ReadAheadHold(of: first, clock: clock)
    let taken = Lock(0)
    for _ in 1...2 {
      #expect(hold.isAhead { taken.withLock { $0 += 1 } })
    }
    first.takeAll()
    #expect(!hold.isOn)
    #expect(taken.withLock { $0 } == 2)
  }

  @Test("A reader that is not ahead holds nothing")
  func notAhead() {
    let (reader, clock) = (Reader(), TestScheduler())
    reader.fallBehind()
    let hold = ReadAheadHold(of: reader, clock: clock)
    #expect(!hold.isAhead {})
    #expect(!hold.isOn && hold.end == nil)
    reader.getAhead()
    #expect(hold.isAhead {})
    #expect(hold.isOn)
  }
}
