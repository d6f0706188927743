import Dispatch
import Testing

@testable import HTTPTransport
@testable import RESTKit

@Suite("The deadline of a URLSession call")
struct URLSessionDeadlineTests {
  @Test("The timeout is exact to the nanosecond, never negative, and a hundred years at most")
  func time() {
    let century = Duration.seconds(3_153_600_000)
    let exact: [Duration] = [
      .zero, .nanoseconds(1), .milliseconds(120), .seconds(2) + .nanoseconds(3),
      century - .nanoseconds(1), century,
    ]
    #expect(exact.map { time(of: $0) } == exact)
    #expect(time(of: .seconds(-1)) == .zero)
    #expect(time(of: .milliseconds(-1)) == .zero)
    #expect(time(of: century + .nanoseconds(1)) == century)
    #expect(time(of: .seconds(Int64.max)) == century)
  }

  private func time(of duration: Duration) -> Duration {
    // A deadline that never started is released, too.
    URLSessionDeadline(duration, on: .global()) {}.time
  }
}
