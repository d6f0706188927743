import Dispatch
import StreamsFixtures
import Testing

@testable import Streams

@Suite("Durations at their limits", .leakFree)
struct DurationTests {
  private let longest = Duration(attoseconds: .max)
  private let shortest = Duration(attoseconds: .min)

  @Test("A sum or difference beyond a limit is the limit")
  func saturates() {
    let one = Duration(attoseconds: 1)
    #expect(longest.adding(one) == longest)
    #expect(shortest.adding(Duration.zero - one) == shortest)
    #expect(shortest.since(one) == shortest)
    #expect(longest.since(Duration.zero - one) == longest)
    #expect(Duration.seconds(3).adding(.seconds(2)) == .seconds(5))
    #expect(Duration.seconds(3).since(.seconds(2)) == .seconds(1))
  }

  @Test("A wait is at most a hundred years and never negative")
  func wait() {
    let century = Duration.seconds(3_153_600_000 as Int64)
    #expect(Duration.longestWait == century)
    #expect(longest.asWait == century)
    #expect(Duration.seconds(-1).asWait == .zero)
    #expect(Duration.seconds(1).asWait == .seconds(1))
  }

  @Test("A wait adds all of its nanoseconds to a time of Dispatch, more than 32 bits hold")
  func dispatchTime() {
    let start = DispatchTime(uptimeNanoseconds: 1_000)
    let waits: [Duration] = [.seconds(-1), .seconds(3) + .nanoseconds(999_999_999), longest]
    let moments = waits.map { start.after($0).uptimeNanoseconds }
    #expect(moments == [1_000, 4_000_000_999, 3_153_600_000_000_001_000])
    #expect(DispatchTime(uptimeNanoseconds: .max - 1).after(.seconds(1)) == .distantFuture)
  }

  @Test("A queue timer's leeway is a tenth of its delay, from a millisecond to a minute")
  func leeway() {
    let delays: [Duration] = [
      .zero, .milliseconds(10), .milliseconds(20), .seconds(600), .seconds(610), longest,
    ]
    let leeways: [DispatchTimeInterval] = [
      .microseconds(1_000), .microseconds(1_000), .microseconds(2_000), .microseconds(60_000_000),
      .microseconds(60_000_000), .microseconds(60_000_000),
    ]
    #expect(delays.map(\.leeway) == leeways)
    #expect(Duration.seconds(599).leeway == .microseconds(59_900_000))
  }
}
