import StreamsFixtures
import Testing

@testable import Streams

@Suite("The current timer of an operator", .leakFree)
struct AlarmStateTests {
  @Test("A timer replaced by an earlier one no longer counts and is not kept")
  func givesWay() {
    let timer = CountingSubscription()
    var alarm = AlarmState()
    let late = alarm.arm(for: .seconds(2))
    let isLateKept = alarm.hold(timer, id: late.id)
    #expect(isLateKept && late.stale == nil)
    #expect(alarm.mustArm(for: .seconds(1)) && !alarm.mustArm(for: .seconds(2)))
    let early = alarm.arm(for: .seconds(1))
    #expect(early.stale is CountingSubscription)
    #expect(!alarm.isArmed(id: late.id) && alarm.isArmed(id: early.id))
    let isLateKeptAgain = alarm.hold(timer, id: late.id)
    let isEarlyKept = alarm.hold(timer, id: early.id)
    #expect(!isLateKeptAgain && isEarlyKept)
    let kept = [alarm.reset(), alarm.reset()]
    #expect(kept[0] is CountingSubscription && kept[1] == nil)
    #expect(!alarm.isArmed(id: early.id))
  }
}
