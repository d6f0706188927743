import Fixtures
import Foundation
import Testing

@testable import RESTKit

@Suite("A stale response in place of a failure")
struct StaleOnFailureTests {
  /// Whether what is kept stands in for a failure ten seconds after its end.
  private func stands(
    _ control: String, _ failure: CacheValidation.Failure, asking: String? = nil,
    allowsDisconnected: Bool = true
  ) throws -> Bool {
    var bench = RuleBench()
    try bench.keep(["Cache-Control": control, "ETag": #""a""#])
    bench.now += 20
    let fields = asking.map { ["Cache-Control": $0] } ?? [:]
    let answer = try bench.validation(fields).answer(
      after: failure, to: try bench.request(fields), allowsDisconnected: allowsDisconnected,
      now: bench.now)
    return answer != nil
  }

  @Test("§4.2.4: a disconnected cache may deliver a stale response, unless disallowed")
  func disconnected() throws {
    #expect(try stands("max-age=10", .disconnected))
    #expect(try !stands("max-age=10", .disconnected, allowsDisconnected: false))
  }

  @Test(
    "§4.2.4: directives forbid a stale response",
    arguments: [
      "max-age=10, must-revalidate", "max-age=10, no-cache",
      "max-age=10, must-revalidate, stale-if-error=60",
      "max-age=10, no-cache, stale-if-error=60",
    ])
  func forbidden(control: String) throws {
    #expect(try !stands(control, .disconnected))
    #expect(try !stands(control, .status(503)))
  }

  @Test("§4.2.4: a response with only a validator stands in, as one with a lifetime does")
  func validatorOnly() throws {
    for headers: HTTPHeaders in [["ETag": #""a""#], ["ETag": #""a""#, "Cache-Control": "private"]] {
      var bench = RuleBench()
      try bench.keep(headers)
      bench.now += 20
      for failure: CacheValidation.Failure in [.disconnected, .status(503)] {
        let validation = try bench.validation()
        #expect(
          validation.answer(
            after: failure, to: try bench.request(), allowsDisconnected: true, now: bench.now)
            != nil)
        #expect(
          validation.answer(
            after: failure, to: try bench.request(), allowsDisconnected: false, now: bench.now)
            == nil)
      }
    }
  }

  @Test("§5.2.2.8: a private cache ignores proxy-revalidate and s-maxage")
  func shared() throws {
    #expect(try stands("max-age=10, proxy-revalidate, s-maxage=10", .disconnected))
  }

  @Test(
    "§4.3.3: an unavailable server counts as disconnected; other errors are delivered",
    arguments: [
      (500, false), (501, false), (502, true), (503, true), (504, true), (505, false),
    ])
  func statuses(status: Int, isGiven: Bool) throws {
    #expect(try stands("max-age=10", .status(status)) == isGiven)
    #expect(try !stands("max-age=10", .status(status), allowsDisconnected: false))
  }

  @Test(
    "RFC 5861 §4: stale-if-error of the response counts for its time, for 500, 502, 503 and 504")
  func staleIfError() throws {
    let failures: [CacheValidation.Failure] = [
      .disconnected, .status(500), .status(502), .status(503), .status(504),
    ]
    for failure in failures {
      #expect(try stands("max-age=10, stale-if-error=10", failure, allowsDisconnected: false))
      #expect(try !stands("max-age=10, stale-if-error=9", failure), "its end is no less clear")
    }
    #expect(try !stands("max-age=10, stale-if-error=10", .status(501)))
    #expect(try !stands("max-age=10, stale-if-error=10", .status(505)))
  }

  @Test("RFC 5861 §4: stale-if-error of the request counts; of two the shorter one")
  func requestStaleIfError() throws {
    #expect(try stands("max-age=10", .status(500), asking: "stale-if-error=10"))
    #expect(try !stands("max-age=10", .status(500), asking: "stale-if-error=9"))
    #expect(try !stands("max-age=10, stale-if-error=60", .status(500), asking: "stale-if-error=9"))
    #expect(try !stands("max-age=10, stale-if-error=9", .status(500), asking: "stale-if-error=60"))
  }

  @Test(
    "§5.2.1: a request that requires validation, or states an age, gets the failure",
    arguments: [
      "no-cache", "max-age=100", "min-fresh=1", "max-stale=5",
    ])
  func requests(asking: String) throws {
    #expect(try !stands("max-age=10", .disconnected, asking: asking))
  }

  @Test("§4.4: an invalidated response is not delivered")
  func invalidated() throws {
    var bench = RuleBench()
    var stored = try bench.keep(["Cache-Control": "max-age=10, stale-if-error=60"])
    stored.isInvalidated = true
    bench.replace(by: stored)
    let answer = try bench.validation().answer(
      after: .disconnected, to: try bench.request(), allowsDisconnected: true, now: bench.now)
    #expect(answer == nil)
  }
}
