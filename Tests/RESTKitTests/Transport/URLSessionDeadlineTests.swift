import Dispatch
import Testing

@testable import RESTKit

@Suite("The deadline of a URLSession call")
struct URLSessionDeadlineTests {
  @Test(
    "The timeout is exact to the nanosecond, from zero to a hundred years",
    arguments: [
      (.milliseconds(120), 120_000_000), (.nanoseconds(1), 1),
      (Duration.seconds(2) + Duration.nanoseconds(3), 2_000_000_003), (.zero, 0), (.seconds(-1), 0),
      (.milliseconds(-1), 0), (.seconds(864_000_001), 864_000_001_000_000_000),
      (.seconds(3_153_599_999 as Int64), 3_153_599_999_000_000_000),
      (.seconds(3_153_600_000 as Int64), 3_153_600_000_000_000_000),
      (.seconds(3_153_600_001 as Int64), 3_153_600_000_000_000_000),
      (.seconds(Int64.max), 3_153_600_000_000_000_000),
    ] as [(Duration, Int64)])
  func time(duration: Duration, nanoseconds: Int64) {
    // A deadline that never started is released, too.
    let deadline = URLSessionDeadline(duration, on: .global()) {}
    #expect(deadline.time == .nanoseconds(nanoseconds))
  }
}
