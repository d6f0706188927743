import Fixtures
import StreamsTesting
import Testing

@testable import RESTKit

@Suite("A token bucket limits requests to its rate and its burst")
struct RateLimitMachineTests {
  private func machine(
    _ requests: Int = 10, per period: Duration = .seconds(10), burst: Int = 3, maxWaiting: Int = 5
  ) -> RateLimitMachine {
    RateLimitMachine(requests: requests, period: period, burst: burst, maxWaiting: maxWaiting)
  }

  private func pass(_ machine: inout RateLimitMachine, at now: Duration) -> RateLimitMachine.Arrival
  {
    machine.arrive(at: now, patience: .seconds(4_000))
  }

  @Test("A burst passes at once, and then one request passes per interval")
  func burst() {
    var machine = machine()
    for number in 1...3 { #expect(pass(&machine, at: .zero) == .pass(number)) }
    #expect(pass(&machine, at: .zero) == .wait(place: 1, .seconds(1)))
    #expect(pass(&machine, at: .zero) == .wait(place: 2, .seconds(2)))
    #expect(machine.nextPass == .seconds(1))
    #expect(machine.wake(at: .milliseconds(999)).isEmpty)
    #expect(machine.wake(at: .seconds(1)) == [.init(place: 1, number: 4)])
    #expect(machine.nextPass == .seconds(2))
    #expect(machine.wake(at: .seconds(2)) == [.init(place: 2, number: 5)])
    #expect(machine.nextPass == nil)
  }

  @Test("A request that arrives while others wait is queued behind them, even if a turn is free")
  func order() {
    var machine = machine(burst: 1)
    #expect(pass(&machine, at: .zero) == .pass(1))
    #expect(pass(&machine, at: .zero) == .wait(place: 1, .seconds(1)))
    #expect(pass(&machine, at: .seconds(1)) == .wait(place: 2, .seconds(1)))
    #expect(machine.wake(at: .seconds(1)).map(\.place) == [1])
  }

  @Test("An abandoned place goes to the request behind it")
  func leaving() {
    var machine = machine(burst: 1)
    _ = pass(&machine, at: .zero)
    for _ in 1...3 { _ = pass(&machine, at: .zero) }
    machine.leave(1)
    machine.leave(7)
    #expect(machine.wake(at: .seconds(1)).map(\.place) == [2])
    machine.leave(3)
    #expect(machine.isEmpty)
    #expect(pass(&machine, at: .seconds(2)) == .pass(3))
  }

  @Test("Abandoning many places takes linear time", .timeLimit(.minutes(10)))
  func crowd() {
    let count = 100_000
    var machine = machine(burst: 1, maxWaiting: count)
    for _ in 0...count { _ = machine.arrive(at: .zero, patience: .seconds(1_000_000)) }
    #expect(machine.arrive(at: .zero, patience: .seconds(1_000_000)) == .lineIsFull)
    for place in 1...count where place % 10 != 0 { machine.leave(place) }
    #expect(machine.wake(at: .seconds(1)).map(\.place) == [10])
    for place in (1...count).reversed() { machine.leave(place) }
    #expect(machine.isEmpty)
    #expect(machine.nextPass == nil)
  }

  @Test("Abandoning many places at the head takes linear time, too", .timeLimit(.minutes(10)))
  func crowdAtHead() {
    let count = 20_000
    var machine = machine(burst: 1, maxWaiting: 2 * count)
    _ = pass(&machine, at: .zero)
    for place in 1...2 * count {
      _ = machine.arrive(
        at: .zero, patience: .seconds(1_000_000), rank: RateLimitMachine.Rank.allCases[place % 3])
    }
    for place in 1..<2 * count { machine.leave(place) }
    #expect(machine.wake(at: .seconds(1)).map(\.place) == [2 * count])
    #expect(machine.isEmpty)
  }

  @Test("The queue has a limit, and so has the wait")
  func bounds() {
    var machine = machine(burst: 1, maxWaiting: 2)
    _ = pass(&machine, at: .zero)
    #expect(machine.arrive(at: .zero, patience: .milliseconds(999)) == .tooLate(.seconds(1)))
    _ = pass(&machine, at: .zero)
    _ = pass(&machine, at: .zero)
    #expect(pass(&machine, at: .zero) == .lineIsFull)
    var none = RateLimitMachine(requests: 0, period: .zero, burst: 0, maxWaiting: -1)
    #expect(none.arrive(at: .zero, patience: .zero) == .pass(1))
    #expect(none.arrive(at: .zero, patience: .seconds(1)) == .lineIsFull)
  }

  @Test("No number or time of a limiter's own makes it overflow")
  func extremes() {
    var machine = RateLimitMachine(
      requests: .max, period: .seconds(Int64.max), burst: .max, maxWaiting: .max)
    #expect(pass(&machine, at: .zero) == .pass(1))
    machine.note(RateLimitQuota(remaining: 0, reset: nil), answering: 1, at: .zero)
    #expect(pass(&machine, at: .zero) == .tooLate(.seconds(RetryAfter.longest)))
    #expect(machine.period == .seconds(RetryAfter.longest))
  }

  @Test("After Retry-After nothing passes before that time, and then one request passes as a probe")
  func closing() {
    var machine = machine()
    _ = pass(&machine, at: .zero)
    machine.close(for: .seconds(30), at: .zero)
    machine.close(for: .seconds(5), at: .zero)
    for _ in 1...5 { _ = pass(&machine, at: .seconds(1)) }
    #expect(machine.nextPass == .seconds(30))
    #expect(machine.wake(at: .seconds(30)) == [.init(place: 1, number: 2)])
    #expect(machine.isProbe(2))
    #expect(machine.nextPass == .seconds(90))
    machine.noteResponse(to: 1)
    #expect(machine.wake(at: .seconds(31)).isEmpty)
    machine.noteResponse(to: 2)
    #expect(machine.wake(at: .seconds(31)).map(\.place) == [2, 3, 4])
    #expect(machine.wake(at: .seconds(32)).map(\.place) == [5])
  }

  @Test("No wait that a server demands closes the queue for longer than an hour")
  func longClosing() {
    var machine = machine()
    _ = pass(&machine, at: .zero)
    machine.close(for: .seconds(RetryAfter.longest), at: .seconds(5))
    #expect(pass(&machine, at: .seconds(5)) == .wait(place: 1, .seconds(3_600)))
    #expect(machine.wake(at: .seconds(3_604)).isEmpty)
    #expect(machine.wake(at: .seconds(3_605)) == [.init(place: 1, number: 2)])
    #expect(machine.isProbe(2))
  }

  @Test(
    "After a probe without a response, the next request is the probe, at once or after a minute")
  func lostProbes() {
    var machine = machine()
    _ = pass(&machine, at: .zero)
    machine.close(for: .seconds(30), at: .zero)
    for _ in 1...3 { _ = pass(&machine, at: .seconds(1)) }
    #expect(machine.wake(at: .seconds(30)).map(\.place) == [1])
    machine.noteLoss(of: 1)
    #expect(machine.isProbe(2))
    machine.noteLoss(of: 2)
    #expect(machine.wake(at: .seconds(31)).map(\.place) == [2])
    #expect(machine.isProbe(3))
    #expect(machine.wake(at: .seconds(90)).isEmpty)
    #expect(machine.wake(at: .seconds(91)).map(\.place) == [3])
    #expect(machine.isProbe(4))
    // The duration of the probe is unknown.
    #expect(pass(&machine, at: .seconds(91)) == .wait(place: 4, .zero))
  }

  @Test("A pass whose request was not sent returns to the bucket, and to the quota of the server")
  func takingBack() {
    var machine = machine(burst: 1)
    #expect(pass(&machine, at: .zero) == .pass(1))
    machine.takeBack(1)
    #expect(pass(&machine, at: .zero) == .pass(2))
    machine.note(RateLimitQuota(remaining: 1, reset: .seconds(60)), answering: 2, at: .zero)
    #expect(pass(&machine, at: .seconds(1)) == .pass(3))
    machine.takeBack(3)
    #expect(pass(&machine, at: .seconds(1)) == .pass(4))
    #expect(pass(&machine, at: .seconds(2)) == .wait(place: 1, .seconds(58)))
    // The quota of the last response already includes this pass.
    machine.takeBack(2)
    #expect(machine.nextPass == .seconds(60))
    #expect(machine.wake(at: .seconds(60)).map(\.place) == [1])
    machine.takeBack(5)
    #expect(pass(&machine, at: .seconds(60)) == .pass(6))
    #expect(machine.isProbe(6))
  }

  @Test("One request tells its quota once")
  func toldTwice() {
    var machine = machine()
    #expect(pass(&machine, at: .zero) == .pass(1))
    machine.note(RateLimitQuota(remaining: 0, reset: .seconds(30)), answering: 1, at: .zero)
    machine.note(RateLimitQuota(remaining: 9, reset: .seconds(9)), answering: 1, at: .zero)
    #expect(pass(&machine, at: .zero) == .wait(place: 1, .seconds(30)))
  }

  @Test("A reset closes the queue for an hour at most, and an expired one does not close it")
  func resets() {
    var machine = machine()
    _ = pass(&machine, at: .zero)
    machine.note(RateLimitQuota(remaining: 0, reset: .zero), answering: 1, at: .zero)
    #expect(pass(&machine, at: .zero) == .pass(2))
    #expect(!machine.isProbe(2))
    machine.note(RateLimitQuota(remaining: 0, reset: .seconds(1 << 53)), answering: 2, at: .zero)
    #expect(
      machine.arrive(at: .zero, patience: .seconds(1 << 20)) == .wait(place: 1, .seconds(3_600)))
  }

  @Test("The server's remaining quota is counted down until its reset")
  func quota() {
    var machine = machine(burst: 10)
    for _ in 1...3 { _ = pass(&machine, at: .zero) }
    // The response to the first: two passed behind it.
    machine.note(RateLimitQuota(remaining: 3, reset: .seconds(60)), answering: 1, at: .zero)
    #expect(pass(&machine, at: .zero) == .pass(4))
    #expect(pass(&machine, at: .zero) == .wait(place: 1, .seconds(60)))
    // A response that is older than the last one tells nothing.
    machine.note(RateLimitQuota(remaining: 0, reset: .seconds(90)), answering: 3, at: .zero)
    machine.note(RateLimitQuota(remaining: 9, reset: .seconds(60)), answering: 2, at: .zero)
    #expect(machine.nextPass == .seconds(90))
    #expect(machine.wake(at: .seconds(89)).isEmpty)
    #expect(machine.wake(at: .seconds(90)).map(\.place) == [1])
  }

  @Test("After a reset one request passes as a probe, and the others behind its response")
  func probeAfterReset() {
    var machine = machine(burst: 10)
    _ = pass(&machine, at: .zero)
    machine.note(RateLimitQuota(remaining: 0, reset: .seconds(60)), answering: 1, at: .zero)
    for _ in 1...4 { _ = pass(&machine, at: .zero) }
    #expect(machine.wake(at: .seconds(60)).map(\.place) == [1])
    #expect(machine.isProbe(2))
    machine.noteResponse(to: 2)
    #expect(machine.wake(at: .seconds(60)).map(\.place) == [2, 3, 4])
  }

  @Test("A server that raises the quota opens the queue before the reset")
  func reopening() {
    var machine = machine(burst: 10)
    _ = pass(&machine, at: .zero)
    _ = pass(&machine, at: .zero)
    machine.note(RateLimitQuota(remaining: 0, reset: nil), answering: 1, at: .zero)
    #expect(pass(&machine, at: .zero) == .wait(place: 1, .seconds(10)))
    machine.note(RateLimitQuota(remaining: 4, reset: nil), answering: 2, at: .seconds(1))
    #expect(machine.wake(at: .seconds(1)).map(\.place) == [1])
  }

  @Test(
    "In any order of arrivals, leaves and waits, requests pass first come, first served",
    arguments: Fuzz.seeds)
  func random(seed: UInt64) {
    Fuzz.run(seed, cases: 300) { generator, drawn in
      let burst = generator.number(1...5)
      let requests = generator.number(1...20)
      var machine = RateLimitMachine(
        requests: requests, period: .seconds(10), burst: burst, maxWaiting: 8)
      let interval = Duration.seconds(10) / requests
      var now = Duration.zero
      var line: [Int] = []
      var passes: [Duration] = []
      var served: [Int] = []
      for _ in 0..<60 {
        switch generator.number(0...3) {
        case 0:
          now += .milliseconds(generator.number(0...2_000))
          for passing in machine.wake(at: now) {
            served.append(passing.place)
            guard line.first == passing.place else {
              return drawn.fail("\(passing.place) passes before \(line)")
            }
            line.removeFirst()
            passes.append(now)
          }
        case 1 where !line.isEmpty:
          machine.leave(line.remove(at: generator.number(0...line.count - 1)))
        default:
          switch machine.arrive(at: now, patience: .seconds(100)) {
          case .pass:
            guard line.isEmpty else { return drawn.fail("somebody passes the line") }
            passes.append(now)
          case .wait(let place, _): line.append(place)
          case .lineIsFull:
            guard line.count == 8 else { return drawn.fail("\(line.count) fill the line") }
          case .tooLate: break
          }
        }
        guard (machine.nextPass == nil) == line.isEmpty else {
          return drawn.fail("\(line.count) wait, and the next passes at \(machine.nextPass as Any)")
        }
      }
      // In any span there are no more than the burst and what came in it.
      for (index, last) in passes.enumerated() where index >= burst {
        let span = last - passes[index - burst]
        guard span >= interval else {
          return drawn.fail("\(burst + 1) pass within \(span), with one in \(interval)")
        }
      }
      guard served == served.sorted() else { return drawn.fail("served \(served)") }
    }
  }
}
