import Dispatch
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
    let century = Duration.seconds(3_153_600_000)
    #expect(Duration.longestWait == century)
    #expect(longest.asWait == century)
    #expect(Duration.seconds(-1).asWait == .zero)
    #expect(Duration.seconds(1).asWait == .seconds(1))
  }

  @Test("A dispatch interval keeps every nanosecond")
  func dispatchInterval() {
    let interval = (Duration.seconds(3) + .nanoseconds(999_999_999)).dispatchInterval
    #expect(interval == .nanoseconds(3_999_999_999))
  }

  @Test("A queue timer's leeway is a tenth of its delay, from a millisecond to a minute")
  func leeway() {
    let delays: [Duration] = [
      .zero, .milliseconds(10), .milliseconds(20), .seconds(600), .seconds(610), longest,
    ]
    let leeways: [Duration] = [
      .milliseconds(1), .milliseconds(1), .milliseconds(2), .seconds(60), .seconds(60),
      .seconds(60),
    ]
    #expect(delays.map(\.leeway) == leeways)
    #expect(Duration.seconds(599).leeway == .milliseconds(59_900))
  }
}
