import Dispatch
import Fixtures
import Foundation
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

@testable import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("SEC-08: a request's timeout covers its redirects", .timeLimit(.minutes(10)))
struct RedirectTimeTests {
  @Test("Slow hops end together when the timeout ends", arguments: TransportKind.allCases)
  func slowHops(kind: TransportKind) async throws {
    // Held back whole: Foundation on Linux may end the process where a time-out meets half a head.
    let server = try MockServer { request in
      if request.path == "/9" { return .text("there") }
      let next = (Int(request.path.dropFirst()) ?? 0) + 1
      let gate = MockGate()
      DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(220)) { gate.open() }
      return MockResponse(status: 302, headers: [("Location", "/\(next)")], gate: gate)
    }
    defer { server.stop() }
    let api = TestAPI(baseURL: server.baseURL, transport: try kind.make())
    let call = api.get(endpoint: "0") {
      var request = $0
      request.timeoutInterval = 0.6
      return request
    }
    let error = try await restError(of: call)
    #expect(error.kind == .transport(.timedOut))
    #expect(server.requests.count <= 3)
  }

  /// Redirects for ever, each after some time on a clock of its own.
  private final class SlowTransport: Transport {
    let clock = TestScheduler()
    private let asked = Lock<[URLRequest]>([])

    var times: [TimeInterval] { asked.withLock { $0.map(\.timeoutInterval) } }

    func response(for request: URLRequest) -> AnyPublisher<RESTResponse, any Error> {
      asked.withLock { $0.append(request) }
      clock.advance(by: .milliseconds(750))
      return Result { () throws -> RESTResponse in
        let head = ResponseHead(
          url: try #require(request.url), statusCode: 302, headers: ["Location": "/a"])
        return RESTResponse(head: head, data: Data(), request: RequestSummary(request))
      }
      .publisher.eraseToAnyPublisher()
    }

    var plan: RequestPlan {
      var plan = RequestPlan(way: Way(over: self), scopedCall: nil)
      let start = ContinuousClock.now
      plan.now = { [clock] in start + clock.now }
      return plan
    }
  }

  private func request(timeout: TimeInterval) throws -> URLRequest {
    URLRequest(
      url: try #require(URL(string: "https://api.example.com/a")), timeoutInterval: timeout)
  }

  @Test("Each hop gets the remaining time, and no hop begins without time")
  func left() async throws {
    let transport = SlowTransport()
    let error = try await restError(
      of: transport.plan.response(for: try request(timeout: 2)).publisher)
    #expect(transport.times == [2, 1.25, 0.5])
    #expect(error.kind == .transport(.timedOut))
    #expect(
      error.description == """
        GET https://api.example.com/a: The call's time limit has passed (redirects took all of it); \
        its status was 302; the server may have processed the request. Check whether the server is \
        overloaded, or allow more time.
        """)
  }

  @Test("A hop with no time left is not sent, instead of being sent without a limit")
  func allTaken() async throws {
    let transport = SlowTransport()
    let error = try await restError(
      of: transport.plan.response(for: try request(timeout: 1.5)).publisher)
    #expect(transport.times == [1.5, 0.75])
    #expect(error.kind == .transport(.timedOut))
  }

  @Test("Without a timeout the hops have none", arguments: [0, -1, .infinity])
  func unlimited(timeout: TimeInterval) async throws {
    let transport = SlowTransport()
    let error = try await restError(
      of: transport.plan.response(for: try request(timeout: timeout)).publisher)
    #expect(error.kind == .redirect)
    #expect(transport.times == Array(repeating: timeout, count: 11))
  }

  @Test(
    "For a response in pieces the timeout limits each silence, so each hop gets the whole timeout")
  func pieces() async throws {
    let transport = SlowTransport()
    let error = await transport.plan.events(for: try request(timeout: 2), body: nil)
      .received().error
    #expect(error?.kind == .redirect)
    #expect(transport.times == Array(repeating: 2, count: 11))
  }
}
