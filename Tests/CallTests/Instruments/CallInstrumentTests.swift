import Fixtures
import Foundation
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("An instrument begins and ends each call and each exchange", .leakFree)
struct CallInstrumentTests {
  private struct Item: Endpoint {
    typealias Response = RESTResponse

    var path: ResourcePath { "a" }
  }

  private let scheduler = TestScheduler()
  private let transcript = Transcript(adding: ["traceparent": "00-1", "X-Trace": "1"])

  /// An API whose transport has the instrument, and the scripts' transport.
  private func api(
    _ script: StubAPIResponse, _ other: StubAPIResponse? = nil,
    redirects: RedirectPolicy = .follow
  ) -> (api: TestAPI, stubs: StubTransport, end: AnyCancellable) {
    let stubs =
      other.map { StubTransport(script, $0, scheduler: scheduler) }
      ?? StubTransport(script, scheduler: scheduler)
    let observed = ObservedTransport(stubs, clock: scheduler)
    let end = observed.instrument(with: transcript)
    return (TestAPI(transport: observed, redirects: redirects), stubs, end)
  }

  private func stub(
    _ path: String = "a", status: Int = 200, headers: HTTPHeaders = [:],
    result: Result<Data, any Error> = .json("{}")
  ) -> StubAPIResponse {
    StubAPIResponse(
      request: .init(.get, urlString: "https://api.example.com/v1/\(path)"), statusCode: status,
      headers: headers, result: result, delay: .milliseconds(25))
  }

  private func run<P: Publisher>(_ publisher: P) -> TestSubscriber<P.Output, P.Failure> {
    let subscriber = TestSubscriber<P.Output, P.Failure>()
    publisher.receive(subscriber: subscriber)
    scheduler.run()
    return subscriber
  }

  @Test("A call and its exchange begin before the request leaves, and each ends once")
  func one() throws {
    let (api, stubs, end) = api(stub())
    let subscriber = TestSubscriber<RESTResponse, any Error>()
    api.get(endpoint: "a").receive(subscriber: subscriber)
    #expect(transcript.lines == ["1 begins", "1 sends GET /v1/a, attempt 1, first"])
    scheduler.run()
    #expect(transcript.lines.dropFirst(2) == ["1 ends GET /v1/a 200", "1 ends"])
    #expect(transcript.ends.map(\.duration) == [.milliseconds(25)])
    #expect(transcript.beginnings.map(\.resendCount) == [0])
    #expect(stubs.journal[0].request.value(forHTTPHeaderField: "traceparent") == "00-1")
    end.cancel()
  }

  @Test("A header field that the request already has stays unchanged")
  func ownHeader() {
    let (api, stubs, end) = api(stub())
    _ = run(api.get(endpoint: "a") { $0.adding("TraceParent", "own") })
    let request = stubs.journal[0].request
    #expect(request.value(forHTTPHeaderField: "traceparent") == "own")
    #expect(request.value(forHTTPHeaderField: "X-Trace") == "1")
    end.cancel()
  }

  @Test("A removed instrument sees no new calls, but sees the end of calls that it began")
  func removal() {
    let (api, _, end) = api(stub(), stub())
    let subscriber = TestSubscriber<RESTResponse, any Error>()
    api.get(endpoint: "a").receive(subscriber: subscriber)
    end.cancel()
    scheduler.run()
    #expect(transcript.lines.last == "1 ends")
    _ = run(api.get(endpoint: "a"))
    #expect(transcript.lines.count == 4)
  }

  @Test("Each attempt of a retry is an exchange of one call, and counts as a resend")
  func retries() {
    let (api, _, end) = api(
      stub(status: 503).thenRespondWith(
        request: .init(.get, urlString: "https://api.example.com/v1/a")))
    _ = run(api.get(endpoint: "a").retry(RetryPolicy(scheduler: scheduler)))
    #expect(
      transcript.lines == [
        "1 begins", "1 sends GET /v1/a, attempt 1, first", "1 ends GET /v1/a 503 (503)",
        "1 sends GET /v1/a, attempt 2, retry", "1 ends GET /v1/a 200", "1 ends",
      ])
    #expect(transcript.beginnings.map(\.resendCount) == [0, 1])
    end.cancel()
  }

  @Test(
    "A redirect to another origin is an exchange of its own, without the first one's added fields")
  func redirects() {
    let (api, stubs, end) = api(
      stub(status: 302, headers: ["Location": "https://files.example/b"])
        .thenRespondWith(request: .init(.get, urlString: "https://files.example/b")))
    _ = run(api.get(endpoint: "a"))
    #expect(
      transcript.lines == [
        "1 begins", "1 sends GET /v1/a, attempt 1, first", "1 ends GET /v1/a 302",
        "1 sends GET /b, attempt 1, redirect", "1 ends GET /b 200", "1 ends",
      ])
    #expect(transcript.beginnings.map(\.isAtAPIOrigin) == [true, false])
    #expect(transcript.beginnings.map(\.resendCount) == [0, 1])
    // The request that the redirect made is that of the app, without what was added to the first
    // one.
    #expect(transcript.beginnings[1].request.value(forHTTPHeaderField: "X-Trace") == nil)
    #expect(stubs.journal.count == 2)
    end.cancel()
  }

  @Test("A redirect of an earlier request does not count as a resend of a later request")
  func furtherRequest() {
    let (api, _, end) = api(
      stub(status: 302, headers: ["Location": "/v1/b"])
        .thenRespondWith(request: .init(.get, urlString: "https://api.example.com/v1/b")),
      stub("c"))
    _ = run(
      api.get(endpoint: "a").flatMap { _ in api.get(endpoint: "c") }
        .retry(RetryPolicy(scheduler: scheduler)))
    #expect(transcript.beginnings.map(\.cause) == [.first, .redirect, .first])
    #expect(transcript.beginnings.map(\.resendCount) == [0, 1, 0])
    end.cancel()
  }

  @Test("After a retry, only a request that is sent for the first time is a first request")
  func firstBehindRetry() {
    let get = StubRequest(.get, urlString: "https://api.example.com/v1/a")
    let next = ["c", "d"].map { StubRequest(.get, urlString: "https://api.example.com/v1/\($0)") }
    let (api, _, end) = api(
      stub(status: 503).thenRespondWith(request: get).thenRespondWith(request: get),
      stub("c", status: 503).thenRespondWith(request: next[0]).thenRespondWith(request: next[1]))
    _ = run(
      api.get(endpoint: "a").validateStatus()
        .flatMap { _ in api.get(endpoint: "c").validateStatus() }
        .flatMap { _ in api.get(endpoint: "d") }
        .retry(RetryPolicy(maxAttempts: 9, scheduler: scheduler)))
    #expect(
      transcript.lines.filter { $0.contains("sends") } == [
        "1 sends GET /v1/a, attempt 1, first", "1 sends GET /v1/a, attempt 2, retry",
        "1 sends GET /v1/c, attempt 3, first", "1 sends GET /v1/a, attempt 4, retry",
        "1 sends GET /v1/c, attempt 5, retry", "1 sends GET /v1/d, attempt 6, first",
      ])
    #expect(transcript.beginnings.map(\.resendCount) == [0, 1, 0, 1, 2, 0])
    end.cancel()
  }

  @Test("A request after an inner retry of a pipeline is a first request")
  func firstBehindInnerRetry() {
    let (api, _, end) = api(
      stub(status: 503).thenRespondWith(
        request: .init(.get, urlString: "https://api.example.com/v1/a")), stub("c"))
    _ = run(
      api.get(endpoint: "a").retry(RetryPolicy(scheduler: scheduler))
        .flatMap { _ in api.get(endpoint: "c") }
        .call(deadline: .after(.seconds(60), scheduler: scheduler)))
    #expect(transcript.beginnings.map(\.cause) == [.first, .retry, .first])
    #expect(transcript.beginnings.map(\.resendCount) == [0, 1, 0])
    end.cancel()
  }

  @Test("A redirected request does not have the path template of the endpoint")
  func redirectedTemplate() {
    let (api, _, end) = api(
      stub(status: 302, headers: ["Location": "/v1/b"])
        .thenRespondWith(request: .init(.get, urlString: "https://api.example.com/v1/b")))
    _ = run(api.publisher(for: Item()))
    #expect(transcript.beginnings.map(\.urlTemplate) == ["/v1/a", nil])
    end.cancel()
  }

  @Test(
    "A call may repeat if it follows redirects or is retried",
    arguments: [(RedirectPolicy.follow, false, true), (.never, false, false), (.never, true, true)])
  func mayRepeat(redirects: RedirectPolicy, isRetried: Bool, mayRepeat: Bool) {
    let (api, _, end) = api(stub(), redirects: redirects)
    let call = api.get(endpoint: "a")
    _ = run(isRetried ? call.retry(RetryPolicy(scheduler: scheduler)) : call)
    #expect(transcript.mayRepeat == [mayRepeat])
    end.cancel()
  }

  @Test("A cancel ends the exchange and the call once")
  func cancel() {
    let (api, _, end) = api(stub())
    let subscriber = TestSubscriber<RESTResponse, any Error>()
    api.get(endpoint: "a").receive(subscriber: subscriber)
    scheduler.advance(by: .milliseconds(10))
    subscriber.cancel()
    subscriber.cancel()
    scheduler.run()
    #expect(transcript.lines.suffix(2).sorted() == ["1 ends", "1 ends GET /v1/a (cancelled)"])
    #expect(transcript.lines.count == 4)
    #expect(transcript.ends.map(\.isCancelled) == [true])
    #expect(transcript.ends.map(\.duration) == [.milliseconds(10)])
    end.cancel()
  }

  @Test("A fault ends the exchange with its error type")
  func fault() {
    let fault = TransportError(kind: .timedOut, mayHaveBeenProcessed: true)
    let error = RESTError(fault, request: RequestSummary(method: .get, url: nil))
    let (api, _, end) = api(stub(result: .failure(error)))
    _ = run(api.get(endpoint: "a"))
    #expect(transcript.lines.suffix(2) == ["1 ends GET /v1/a (timedOut)", "1 ends"])
    end.cancel()
  }

  @Test("A response in pieces ends with its last piece, or when it is cancelled")
  func pieces() {
    let (api, _, end) = api(stub(), stub())
    _ = run(api.events(endpoint: "a"))
    #expect(transcript.lines.suffix(2) == ["1 ends GET /v1/a 200", "1 ends"])
    _ = run(api.events(endpoint: "a").first())
    #expect(transcript.lines.suffix(2).sorted() == ["2 ends", "2 ends GET /v1/a 200 (cancelled)"])
    end.cancel()
  }

  @Test("A redirect of a response in pieces is not a cancel")
  func redirectInPieces() {
    let (api, _, end) = api(
      stub(status: 302, headers: ["Location": "/v1/b"])
        .thenRespondWith(request: .init(.get, urlString: "https://api.example.com/v1/b")))
    _ = run(api.events(endpoint: "a"))
    #expect(
      transcript.lines.dropFirst(2) == [
        "1 ends GET /v1/a 302", "1 sends GET /v1/b, attempt 1, redirect", "1 ends GET /v1/b 200",
        "1 ends",
      ])
    #expect(transcript.ends.map(\.isCancelled) == [false, false])
    end.cancel()
  }

  @Test("A cached response is a call without an exchange; calls that share an exchange have one")
  func seats() {
    let (api, _, end) = api(
      stub(headers: ["Cache-Control": "max-age=60"]), stub("b"))
    let cached = api.get(endpoint: "a").cached(in: HTTPCache())
    _ = run(cached)
    _ = run(cached)
    #expect(transcript.lines.suffix(2) == ["2 begins", "2 ends"])
    let shared = api.get(endpoint: "b").coalesced(in: RequestCoalescer())
    let callers = (0..<3).map { _ in TestSubscriber<RESTResponse, any Error>() }
    for caller in callers { shared.receive(subscriber: caller) }
    scheduler.run()
    #expect(callers.map(\.values.count) == [1, 1, 1])
    #expect(transcript.lines.count { $0.contains(" sends GET /v1/b") } == 1)
    #expect(transcript.lines.count { $0.contains(" ends GET /v1/b") } == 1)
    #expect(transcript.lines.suffix(3).sorted() == ["3 ends", "4 ends", "5 ends"])
    end.cancel()
  }

  @Test("An instrument sees the context of the subscriber through a deadline")
  func deadline() {
    let (api, _, end) = api(stub())
    _ = run(
      api.get(endpoint: "a")
        .call(deadline: .after(.seconds(5), scheduler: scheduler))
        .context(Transcript.Trace.self, "of the subscriber"))
    #expect(transcript.traces == ["of the subscriber"])
    end.cancel()
  }

  @Test("Instruments of nested transports each see the whole call")
  func nested() {
    let (api, _, end) = api(stub())
    let other = Transcript()
    let outer = ObservedTransport(api.transport, clock: scheduler)
    let otherEnd = outer.instrument(with: other)
    _ = run(TestAPI(transport: outer).get(endpoint: "a"))
    #expect(transcript.lines.count == 4)
    #expect(transcript.lines == other.lines)
    end.cancel()
    otherEnd.cancel()
  }
}
