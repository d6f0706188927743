import Fixtures
import Streams
import StreamsTesting
import Testing

@testable import RESTKit

@Suite("The steps after a connection of a live stream")
struct ReconnectMachineTests {
  private var top = TopGenerator()

  private func machine(_ change: (inout ReconnectPolicy) -> Void = { _ in }) -> ReconnectMachine {
    var policy = ReconnectPolicy()
    change(&policy)
    return ReconnectMachine(policy, rule: RetryRule(policy: RetryPolicy(budget: nil)))
  }

  /// The longest waits after so many failures in a row.
  private func waits(
    _ count: Int, serverDelay: Duration? = nil, machine: ReconnectMachine? = nil
  ) -> [Duration] {
    var machine = machine ?? self.machine()
    machine.serverDelay = serverDelay
    var generator = TopGenerator()
    return (0..<count).compactMap { _ in
      machine.begin()
      let step = machine.step(
        after: .status(503, retryAfter: nil), of: SentRequests(), using: &generator)
      guard case .again(let wait, _, _) = step else { return nil }
      return wait
    }
  }

  @Test("The wait grows with failures in a row, up to the maximum")
  func growth() {
    #expect(
      waits(5) == [.seconds(9), .seconds(15), .seconds(27), .seconds(30), .seconds(30)])
  }

  @Test("A wait costs budget while it grows, and is free at its maximum")
  func price() {
    var (machine, generator) = (machine(), TopGenerator())
    let steps = (0..<5).map { _ in
      machine.begin()
      return machine.step(
        after: .status(503, retryAfter: nil), of: SentRequests(), using: &generator)
    }
    #expect(
      steps == [
        .again(after: .seconds(9), isFree: false),
        .again(after: .seconds(15), isFree: false),
        .again(after: .seconds(27), isFree: false),
        .again(after: .seconds(30), isFree: true),
        .again(after: .seconds(30), isFree: true),
      ])
  }

  @Test("A connection that is throttled, and told when to come again, costs no budget")
  func throttled() {
    var (machine, generator) = (machine(), TopGenerator())
    for (status, isFree) in [(429, true), (503, false)] {
      let step = machine.step(
        after: .status(status, retryAfter: .seconds(1)), of: SentRequests(), using: &generator)
      guard case .again(_, isFree, _) = step else {
        Issue.record("\(status): \(step)")
        continue
      }
    }
  }

  @Test("An event resets the wait")
  func event() {
    var machine = machine()
    var generator = TopGenerator()
    for _ in 0..<5 {
      machine.begin()
      _ = machine.step(after: .status(503, retryAfter: nil), of: SentRequests(), using: &generator)
    }
    machine.begin()
    machine.noteDelivery()
    let step = machine.step(
      after: .fault(.connectionReset, mayHaveBeenProcessed: true), of: SentRequests(),
      using: &generator)
    #expect(step == .again(after: .seconds(6), isFree: true))
    #expect(machine.failures == 0)
  }

  @Test("The server's wait is kept unchanged after an event, and grows without one")
  func serverDelay() {
    var machine = machine()
    var generator = TopGenerator()
    machine.begin()
    machine.noteDelivery()
    machine.serverDelay = .zero
    let step = machine.step(after: .ended, of: SentRequests(), using: &generator)
    #expect(step == .again(after: .milliseconds(100), isFree: true))
    #expect(
      waits(3, serverDelay: .zero)
        == [.milliseconds(6_100), .milliseconds(12_100), .milliseconds(24_100)])
    #expect(waits(1, serverDelay: .seconds(90)) == [.seconds(90)])
    #expect(waits(1, serverDelay: .seconds(300)) == [.seconds(300)])
  }

  @Test("A server's wait over the maximum is shortened, and the step reports the requested one")
  func longServerDelay() {
    var (machine, generator) = (machine { $0.maxServerDelay = .seconds(7) }, TopGenerator())
    machine.begin()
    machine.noteDelivery()
    for (asked, isTold) in [(Duration.seconds(7), false), (.seconds(8), true)] {
      machine.serverDelay = asked
      let step = machine.step(after: .ended, of: SentRequests(), using: &generator)
      let remark = ", instead of the 8.0 s of its retry, see ReconnectPolicy.maxServerDelay"
      #expect(
        step == .again(after: .seconds(7), isFree: true, remark: isTold ? remark : ""))
    }
  }

  @Test("No time of a policy traps, however long or negative")
  func extremes() {
    let (least, most) = (Duration(attoseconds: .min), Duration(attoseconds: .max))
    let longest = machine { ($0.maxDelay, $0.maxServerDelay) = (most, most) }
    #expect(waits(1, serverDelay: most, machine: longest) == [most])
    let shortest = machine { $0.maxDelay = least }
    #expect(waits(2, serverDelay: .seconds(1), machine: shortest) == [.seconds(1), .seconds(1)])
    let negative = machine { ($0.delay, $0.maxDelay) = (least, least) }
    let floor = Duration.milliseconds(100)
    #expect(waits(2, machine: negative) == [floor, floor])
    let none = machine { $0.maxServerDelay = least }
    #expect(waits(1, serverDelay: most, machine: none) == [.milliseconds(6_100)])
  }

  @Test("A failure that another connection would not change is delivered")
  func otherFailures() {
    for outcome in [
      AttemptOutcome.status(404, retryAfter: nil), .otherFailure,
      .fault(.invalidRequest, mayHaveBeenProcessed: false),
    ] {
      var (machine, generator) = (machine(), TopGenerator())
      let step = machine.step(after: outcome, of: SentRequests(), using: &generator)
      #expect(step == .deliver)
    }
  }

  @Test("After the server's end the stream does not reconnect")
  func over() {
    var (machine, generator) = (machine(), TopGenerator())
    machine.noteEnd()
    let step = machine.step(after: .ended, of: SentRequests(), using: &generator)
    #expect(step == .deliver)
  }
}
