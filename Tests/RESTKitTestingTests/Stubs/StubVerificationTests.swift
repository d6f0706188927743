import Foundation
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("How a stub verifies its request")
struct StubVerificationTests {
  @Test("The verification receives its response's request, on the subscribing thread")
  func sees() throws {
    let stubs = StubTransport(
      .text("1", for: "/a")
        .thenVerifyRequest { #expect($0.url?.path == "/v1/a") }
        .then("2", for: "/b")
        .thenVerifyRequest { #expect($0.url?.path == "/v1/b") }
        .thenVerifyRequest { #expect($0.httpMethod == "GET") })
    try stubs.text("/a")
    try stubs.text("/b")
    try stubs.verify()
  }

  @Test("ST-06: An error that it throws fails the exchange, and verify throws it again")
  func throwing() throws {
    let line = #line + 3
    let stubs = StubTransport(
      StubAPIResponse(request: .get("/a"))
        .thenVerifyRequest { _ in throw TestFailure(description: "no token") })
    let subscriber = try stubs.subscriber("/a")
    #expect(subscriber.values.isEmpty)
    let text = """
      GET https://api.example.com/v1/a fails the check at \
      RESTKitTestingTests/StubVerificationTests.swift:\(line): no token
      """
    #expect("\(try #require(subscriber.failure))" == text)
    let error = #expect(throws: StubError.self) { try stubs.verify() }
    #expect(error?.description == text)
    let failure = try #require(error?.failures.first)
    #expect(failure.kind == .verificationFailed)
    #expect(failure.location.line == UInt(line))
    #expect(failure.underlyingError as? TestFailure == TestFailure(description: "no token"))
  }

  @Test("After the first error no other verification runs, and the response is used")
  func first() throws {
    let stubs = StubTransport(
      StubAPIResponse(request: .get("/a"))
        .thenVerifyRequest { _ in throw TestFailure() }
        .thenVerifyRequest { _ in Issue.record("The second verification ran.") })
    #expect(throws: StubError.self) { try stubs.text("/a") }
    #expect(stubs.unusedStubs.isEmpty)
  }

  @Test("ST-06: A failure on another thread is not lost, even if the call is ignored")
  func otherThread() async throws {
    let stubs = StubTransport(
      StubAPIResponse(request: .get("/a")).thenVerifyRequest { _ in throw TestFailure() })
    await Task.detached { _ = try? stubs.subscriber("/a") }.value
    #expect(throws: StubError.self) { try stubs.verify() }
  }

  @Test("A verification runs only for its own request")
  func notForOthers() throws {
    let stubs = StubTransport(
      StubAPIResponse(request: .get("/a"))
        .thenVerifyRequest { _ in Issue.record("It ran.") })
    #expect(throws: StubError.self) { try stubs.text("/b") }
  }

  @Test("A verification may use the transport itself")
  func reentrant() throws {
    let other = StubTransport(.text("1", for: "/a"))
    let stubs = StubTransport(
      StubAPIResponse(request: .get("/a")).thenVerifyRequest { _ in try other.text("/a") })
    try stubs.text("/a")
    try other.verify()
  }
}
