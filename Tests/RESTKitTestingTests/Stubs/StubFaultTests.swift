import Foundation
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Every fault of a transport is a stub's fault")
struct StubFaultTests {
  /// Every kind of a transport's fault.
  static let kinds: [TransportError.Kind] =
    [
      .unsupportedURL, .invalidRequest, .hostNotFound, .connectionRefused, .connectFailed,
      .connectionClosedBeforeResponse, .connectionReset, .bodyCut, .malformedResponse,
      .undecodableBody, .timedOut, .sendFailed, .engineUnavailable, .invalidOptions,
      .other(code: 56), .limitExceeded(.headerBytes), .limitExceeded(.headerLineBytes),
      .limitExceeded(.headerCount), .limitExceeded(.bodyBytes), .limitExceeded(.errorBodyBytes),
      .limitExceeded(.expansionRatio),
    ] + TransportError.TLSReason.allCases.map(TransportError.Kind.tlsFailed)

  private struct API: RESTAPI {
    let baseURL = base
    let transport: any Transport
  }

  private func call(
    _ transport: any Transport, _ scheduler: TestScheduler, _ policy: RetryPolicy? = nil
  ) -> TestSubscriber<RESTResponse, any Error> {
    let call = TestSubscriber<RESTResponse, any Error>()
    let response = API(transport: transport).get(endpoint: "a")
    if let policy {
      response.retry(policy).receive(subscriber: call)
    } else {
      response.receive(subscriber: call)
    }
    scheduler.run()
    return call
  }

  private func script(_ result: Result<Data, any Error>) -> StubAPIResponse {
    StubAPIResponse(request: .get("/a"), result: result).always()
  }

  @Test("Each kind has its fault, with which a call fails as on a transport", arguments: kinds)
  func kind(kind: TransportError.Kind) throws {
    let scheduler = TestScheduler()
    let stubs = StubTransport(script(.fault(StubFault(kind))), scheduler: scheduler)
    let error = try #require(call(stubs, scheduler).failure as? RESTError)
    let fault = try #require(error.underlyingError as? TransportError)
    #expect(fault.kind == kind)
    let isRefused = kind == .unsupportedURL || kind == .invalidRequest
    #expect(error.kind == (isRefused ? .invalidRequest : .transport(kind)))
    #expect(fault.mayHaveBeenProcessed == !Self.isBeforeSending(kind))
    #expect((error.response != nil) == Self.isInBody(kind))
    #expect((fault.statusCode == 200) == (error.response != nil || Self.isInHead(kind)))
    try stubs.verify()
  }

  private static func isBeforeSending(_ kind: TransportError.Kind) -> Bool {
    switch kind {
    case .tlsFailed(.clientCertificateRefused): false
    case .unsupportedURL, .invalidRequest, .hostNotFound, .connectionRefused, .connectFailed,
      .tlsFailed, .engineUnavailable, .invalidOptions:
      true
    default: false
    }
  }

  private static func isInBody(_ kind: TransportError.Kind) -> Bool {
    switch kind {
    case .bodyCut, .undecodableBody, .limitExceeded(.bodyBytes), .limitExceeded(.errorBodyBytes),
      .limitExceeded(.expansionRatio):
      true
    default: false
    }
  }

  private static func isInHead(_ kind: TransportError.Kind) -> Bool {
    if case .limitExceeded = kind { true } else { false }
  }

  @Test("A fault in a body beside an error status fails with the status")
  func errorStatus() throws {
    let scheduler = TestScheduler()
    let stubs = StubTransport(
      StubAPIResponse(
        request: .get("/a"), statusCode: 503, result: .fault(.limitExceeded(.errorBodyBytes))))
    let error = try #require(call(stubs, scheduler).failure as? RESTError)
    #expect(error.kind == .status(503))
    let fault = error.underlyingError as? TransportError
    #expect(fault?.kind == .limitExceeded(.errorBodyBytes) && fault?.statusCode == 503)
  }

  @Test("In pieces, a fault that is found in a body follows its head, unless there is no body")
  func pieces() throws {
    for fault in [StubFault.undecodableBody, .limitExceeded(.expansionRatio)] {
      let stubs = StubTransport(
        StubAPIResponse(request: StubRequest(path: "/v1/a"), result: .fault(fault)).always())
      let call = try stubs.pieces("/a")
      #expect(call.texts == ["head 200"] && call.fault?.statusCode == 200)
      let head = try stubs.pieces("/a", method: .head)
      #expect(head.texts == ["head 200"] && head.isFinished)
    }
  }

  @Test("A TransportError as a stub's failure is retried as the same fault of a transport")
  func retried() throws {
    var counts: Set<Int> = []
    for kind in Self.kinds {
      for isProcessed in [true, false] {
        let scheduler = TestScheduler()
        let fault = TransportError(kind: kind, detail: "d", mayHaveBeenProcessed: isProcessed)
        let policy = RetryPolicy(maxAttempts: 3, scheduler: scheduler)
        let stubs = StubTransport(script(.failure(fault)), scheduler: scheduler)
        let count = Lock(0)
        let closure = ClosureTransport { _ in
          count.withLock { $0 += 1 }
          throw fault
        }
        let seen = try #require(call(stubs, scheduler, policy).failure as? RESTError)
        let expected = try #require(call(closure, scheduler, policy).failure as? RESTError)
        #expect(stubs.requests.count == count.withLock { $0 }, "\(kind)")
        #expect(seen.kind == expected.kind && seen.description == expected.description)
        #expect(seen.underlyingError as? TransportError == fault)
        counts.insert(stubs.requests.count)
      }
    }
    #expect(counts == [1, 3])
  }

  @Test("A fault over a socket without a server that can cause it is the one in memory")
  func socket() async throws {
    for kind in Self.kinds where kind != .timedOut {
      let script = script(.fault(StubFault(kind)))
      let scheduler = TestScheduler()
      let memory = call(StubTransport(script), scheduler).failure as? RESTError
      let socket = try StubTransport(script, over: URLSessionTransport())
      let error = await #expect(throws: RESTError.self) {
        try await API(transport: socket).get(endpoint: "a").value
      }
      let fault = error?.underlyingError as? TransportError
      #expect(error?.kind == memory?.kind)
      #expect(
        fault?.mayHaveBeenProcessed
          == (memory?.underlyingError as? TransportError)?.mayHaveBeenProcessed, "\(kind)")
      try socket.verify()
    }
  }

  @Test("The faults by the names of their kinds are these kinds")
  func names() {
    let named: [(StubFault, TransportError.Kind)] = [
      (.connectionClosedBeforeResponse, .connectionClosedBeforeResponse),
      (.connectionReset, .connectionReset), (.malformedResponse, .malformedResponse),
      (.timedOut, .timedOut), (.tlsFailed(.notTLS), .tlsFailed(.notTLS)),
      (.tlsFailed(.certificateExpired), .tlsFailed(.certificateExpired)),
    ]
    for (fault, kind) in named {
      #expect(StubFault(kind).description == (kind == .tlsFailed(.notTLS) ? "notTLS" : "\(fault)"))
    }
    #expect("\(StubFault.tlsFailed(.certificateExpired))" == "tlsFailed(certificateExpired)")
    #expect(Set(StubFault.allCases.map(\.description)).count == StubFault.allCases.count)
    #expect(
      Set(Self.kinds.map { StubFault($0) }).isSubset(of: StubFault.allCases + [.other(code: 56)]))
    for fault in [Result<Data, any Error>.fault(.tlsFailed(.certificateExpired))]
      + [
        .failure(TransportError(kind: .tlsFailed(.certificateExpired), mayHaveBeenProcessed: false))
      ]
    {
      let stubs = StubTransport(StubAPIResponse(request: .get("/a"), result: fault))
      #expect(stubs.unusedStubs.first?.contains("/a → tlsFailed(certificateExpired) (") == true)
    }
  }
}
