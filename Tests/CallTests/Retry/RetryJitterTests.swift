import Fixtures
import Foundation
import Streams
import StreamsTesting
import Testing

@testable import RESTKit

@Suite("The wait before a retry")
struct RetryJitterTests {
  /// The rule's wait before a retry, of which the first has number 0.
  private func wait(
    before retry: Int, policy: RetryPolicy, using generator: inout some RandomNumberGenerator
  ) -> Duration? {
    let decision = RetryRule(policy: policy).decision(
      on: .status(503, retryAfter: nil), of: SentRequests(), attempts: retry + 1, elapsed: .zero,
      using: &generator)
    guard case .again(let wait, _, _) = decision else { return nil }
    return wait
  }

  @Test(
    "RT-01: the wait is uniform from zero to base · 2ⁿ, at most the cap",
    arguments: [0, 1, 3, 6, 9])
  func fullJitter(retry: Int) {
    let policy = RetryPolicy(maxAttempts: .max, totalTime: nil)
    let limit = min(.milliseconds(500) * (1 << retry), Duration.seconds(20))
    var generator = SeededGenerator(seed: 7)
    let count = 10_000
    var tenths = [Int](repeating: 0, count: 10)
    for _ in 0..<count {
      guard let wait = wait(before: retry, policy: policy, using: &generator),
        wait >= .zero, wait <= limit
      else {
        Issue.record("a wait is out of its range")
        return
      }
      let share = wait / limit
      tenths[min(Int(share * 10), 9)] += 1
    }
    // χ² of nine degrees of freedom: a uniform draw is past 27.9 once in a thousand seeds.
    let expected = Double(count) / 10
    let chiSquare = tenths.reduce(0) { sum, tenth in
      sum + (Double(tenth) - expected) * (Double(tenth) - expected) / expected
    }
    #expect(chiSquare < 27.9, "\(tenths)")
  }

  @Test("RT-01: the wait is the same for the same seed, and differs for another")
  func seeds() {
    func waits(_ seed: UInt64) -> [Duration?] {
      var generator = SeededGenerator(seed: seed)
      let policy = RetryPolicy(maxAttempts: .max, totalTime: nil)
      return (0..<10).map { wait(before: $0, policy: policy, using: &generator) }
    }
    #expect(waits(1) == waits(1))
    #expect(waits(1) != waits(2))
  }

  @Test("RT-02: the wait is within its limit for any number of attempts and any delays")
  func noOverflow() throws {
    let delays: [Duration] = [
      .seconds(-1), .zero, Duration(secondsComponent: 0, attosecondsComponent: 1),
      .milliseconds(500), .seconds(1 << 31), .seconds(Int64.max),
    ]
    var generator = TopGenerator()
    for base in delays {
      for most in delays {
        let policy = RetryPolicy(
          maxAttempts: .max, baseDelay: base, maxDelay: most, totalTime: nil)
        for retry in [0, 1, 2, 31, 62, 63, 64, 126, 127, 128, 1_000, 10_000, Int.max - 2] {
          let wait = try #require(wait(before: retry, policy: policy, using: &generator))
          #expect(wait >= .zero && wait <= max(most, .zero))
        }
      }
    }
    let policy = RetryPolicy(maxAttempts: .max, totalTime: nil)
    for retry in 0...10_000 {
      let wait = wait(before: retry, policy: policy, using: &generator)
      guard wait == min(.milliseconds(500) * (1 << min(retry, 6)), .seconds(20)) else {
        Issue.record("retry \(retry) waits \(String(describing: wait))")
        return
      }
    }
  }
}
