import Foundation
import Testing

@testable import HTTPTransport
@testable import HTTPWire
@testable import RESTKit

@Suite("The line of an exchange")
struct ExchangeTests {
  @Test(
    "The timeout is rounded up to the next millisecond",
    arguments: [
      (Duration(secondsComponent: 0, attosecondsComponent: 0), 0),
      (Duration(secondsComponent: 0, attosecondsComponent: 1), 1),
      (Duration.milliseconds(1), 1),
      (Duration.milliseconds(1) + Duration(secondsComponent: 0, attosecondsComponent: 1), 2),
      (Duration.milliseconds(1_999), 1_999),
    ])
  func milliseconds(duration: Duration, expected: Int) throws {
    let url = try #require(URL(string: "https://api.example.com/v1/a"))
    let exchange = Exchange(
      request: RequestSummary(method: .get, url: url), outcome: .success(200), duration: duration,
      metrics: nil)
    #expect("\(exchange)" == "GET /v1/a → 200 in \(expected) ms")
  }
}
