import Foundation
import RESTKit
import RESTKitTesting
import Streams

@testable import RESTKit

/// A server that answers the requests of one case, and a clock that its test moves.
final class SuiteServer: Sendable {
  private let test: SuiteCase
  private let seconds = Lock(1_800_000_000.0)
  private let received = Lock<[Int: HTTPHeaders]>([:])

  init(_ test: SuiteCase) {
    self.test = test
  }

  var now: Date { Date(timeIntervalSince1970: seconds.withLock { $0 }) }

  func wait(_ pause: Int) { seconds.withLock { $0 += Double(pause) } }

  /// The fields of the request of a step, the first of which has number 1; nil if none came.
  func request(of step: Int) -> HTTPHeaders? { received.withLock { $0[step] } }

  func response(to request: MockRequest) -> MockResponse {
    let number = request.value(for: "Step").flatMap { Int($0) } ?? 0
    guard test.steps.indices.contains(number - 1) else { return .text("no such step", status: 400) }
    let headers = HTTPHeaders(request.headers)
    received.withLock { $0[number] = headers }
    let step = test.steps[number - 1]
    if step.hangsUp {
      return MockResponse(status: 200, delivery: .closeBeforeResponse)
    }
    let isConfirmed =
      step.isValidation && number > 1
      && Self.isConfirmed(headers, by: test.steps[number - 2].response)
    let fields = step.response.map { Self.field(Self.dated($0, at: now)) }
    return MockResponse(
      status: isConfirmed ? 304 : step.status,
      headers: fields + [
        ("Step", "\(number)"), ("Answered-At", "\(Int(now.timeIntervalSince1970))"),
      ], body: Data((step.body ?? Self.body(of: number)).utf8))
  }

  /// The body of the response to a step, unless the case gives another one.
  static func body(of number: Int) -> String { "the response to step \(number)" }

  private static func isConfirmed(_ request: HTTPHeaders, by response: [String]) -> Bool {
    response.map(field).contains { name, value in
      switch name {
      case "ETag": request["If-None-Match"] == value
      case "Last-Modified": request["If-Modified-Since"] == value
      default: false
      }
    }
  }

  static func field(_ line: String) -> (name: String, value: String) {
    let name = line.prefix { $0 != ":" }
    return (String(name), String(line.dropFirst(name.count + 1).drop { $0 == " " }))
  }

  /// The line with the date that it asks for.
  static func dated(_ line: String, at now: Date) -> String {
    let parts = line.split(separator: "{")
    guard parts.count == 2, let offset = Double(parts[1].dropLast()) else { return line }
    return parts[0] + CacheDate.text(now.addingTimeInterval(offset))
  }
}
