import Dispatch
import Foundation
import RESTKit
import RESTKitTesting
import Streams
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("The conformance kit for transports", .timeLimit(.minutes(10)))
struct TransportConformanceTests {
  #if os(Linux)
    @Test("CurlTransport keeps every rule")
    func curl() async throws {
      let report = try await TransportConformance("CurlTransport") {
        try CurlTransport(limits: $0)
      }.waiting(.seconds(300)).check()
      #expect(report.kept == TransportRule.allCases)
    }
  #endif

  @Test("URLSessionTransport keeps every rule except those that Docs/Transports.md names")
  func urlSession() async throws {
    try await TransportConformance("URLSessionTransport") { URLSessionTransport(limits: $0) }
      .skipping(.headerLines, because: "Foundation joins the lines of one name")
      .skipping(.packedCut, because: "Foundation on Linux takes it for a whole body")
      .skipping(.twoLengths, because: "Foundation may tell only the last of the lines")
      .waiting(.seconds(300)).check()
  }

  @Test("Stubs in memory keep every rule that a script can play")
  func stubs() async throws {
    let report = try await TransportConformance(ofStubs: "stubs in memory").waiting(.seconds(300))
      .check()
    #expect(report.kept.count == TransportRule.allCases.count - 2)
  }

  #if os(Linux)
    @Test("Stubs over a socket keep every rule that a script can play")
    func stubsOverSocket() async throws {
      let report = try await TransportConformance(ofStubs: "stubs over a socket") {
        try CurlTransport(limits: $0)
      }.waiting(.seconds(300)).check()
      #expect(report.kept.count == TransportRule.allCases.count - 2)
    }
  #endif

  @Test("A transport that makes its pieces of a whole exchange ends a silence as it should")
  func wholeOnly() async throws {
    let report = await TransportConformance("whole only") { limits in
      let inner = try TransportMutant.correct(limits)
      var transport = SpoiledTransport(inner)
      transport.pieces = { request, _ in inner.response(for: request).inPieces() }
      return transport
    }
    .waiting(.seconds(300)).report(of: [.silence])
    #expect(report.kept == [.silence], "\(report)")
  }

  @Test("A transport that delivers all its calls on one serial queue breaks no other rule")
  func oneQueue() async throws {
    try await TransportConformance("one queue") { limits in
      let (inner, queue) = (URLSessionTransport(limits: limits), DispatchQueue(label: "one queue"))
      var transport = SpoiledTransport(inner)
      transport.whole = { inner.response(for: $0).receive(on: queue).eraseToAnyPublisher() }
      transport.pieces = {
        inner.events(for: $0, body: $1).receive(on: queue).eraseToAnyPublisher()
      }
      return transport
    }
    .skipping(.headerLines, .packedCut, .twoLengths, because: "URLSession's, not the queue's")
    .skipping(.blocking, because: "it is broken, as the test of what is wrong finds")
    .waiting(.seconds(300)).check()
  }

  // A client of an earlier server may try again, and the port is another server's by then.
  @Test("A stranger's request at the kit's server is not counted")
  func strangers() async throws {
    let (stranger, rules) = (URLSessionTransport(), [TransportRule.requests, .laziness, .noRepeat])
    let report = await TransportConformance("with strangers") { limits in
      URLSessionTransport(limits: limits).intercepted { exchange in
        guard let url = exchange.request.url else { return }
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        // Some of the kit's servers end the connection.
        _ = await stranger.response(for: request).result
      }
    }
    // A task of a step waits behind all tests that run at the same time.
    .waiting(.seconds(300)).report(of: rules)
    #expect(report.kept == rules, "\(report)")
  }

  @Test("A skipped rule is not checked, and the report says why")
  func skipping() async {
    let report = await TransportConformance("none") { _ in throw BreakError() }
      .skipping(.redirects, .cookies, because: "there is no such transport")
      .report(of: [.redirects, .cookies, .cache])
    #expect(report.broken == [.cache])
    #expect(report.kept.isEmpty)
    #expect(report.skipped.count == 2)
    #expect(report.description.contains("(redirects): there is no such transport"))
    #expect(report.findings.first?.seen == "broken on purpose")
  }

  @Test("A check that fails throws its findings")
  func failure() async throws {
    let kit = TransportConformance("none") { _ in throw BreakError() }
    let failure = await #expect(throws: TransportConformanceFailure.self) {
      try await kit.waiting(.seconds(300)).check()
    }
    #expect(failure?.report.broken == TransportRule.allCases)
    #expect(failure?.description.hasPrefix("none: \(TransportRule.allCases.count) rules") == true)
  }
}
