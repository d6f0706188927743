import Fixtures
import Foundation
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting
import Synchronization
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("A request answered with 401 is sent once more")
struct RetryOnceOnUnauthorizedTests {
  private static let url = "https://api.example.com/v1/me"
  private static let request = StubRequest(.get, urlString: url)

  /// A script of responses to the same request.
  private func stubs(_ statuses: Int...) -> StubTransport {
    var script = StubAPIResponse(
      request: Self.request, statusCode: statuses[0], result: .json("\"1\""))
    for (index, status) in statuses.enumerated().dropFirst() {
      script = script.thenRespondWith(
        request: Self.request, statusCode: status, result: .json("\"\(index + 1)\""))
    }
    return StubTransport(script)
  }

  private func me(_ stubs: StubTransport) -> AnyPublisher<RESTResponse, any Error> {
    TestAPI(transport: stubs).get(endpoint: "me")
  }

  /// A chained publisher that counts its subscriptions and how many requests went before each.
  private func chained<P: Publisher>(
    _ publisher: P, after stubs: StubTransport, log: ValueLog<String>
  ) -> Deferred<P> {
    Deferred {
      log.add("chained after \(stubs.requests.count)")
      return publisher
    }
  }

  @Test("On 401 the chained publisher runs, then the request is sent once more")
  func retries() async throws {
    let stubs = stubs(401, 200)
    let log = ValueLog<String>()
    let chain = chained(Just(1).setFailureType(to: (any Error).self), after: stubs, log: log)
    let response = try await me(stubs).retryOnceOnUnauthorizedResponse(chainedRequest: chain).value
    #expect(response.statusCode == 200)
    #expect(response.data == Data("\"2\"".utf8))
    #expect(log.all == ["chained after 1"])
    try stubs.verify()
  }

  @Test(
    "Any other status passes, and the chained publisher does not run",
    arguments: [200, 204, 302, 400, 402, 403, 404, 407, 419, 500, 503])
  func passes(status: Int) async throws {
    let stubs = stubs(status)
    let log = ValueLog<String>()
    let chain = chained(Fail<Int, any Error>(error: TestFailure()), after: stubs, log: log)
    let response = try await me(stubs).retryOnceOnUnauthorizedResponse(chainedRequest: chain).value
    #expect(response.statusCode == status)
    #expect(log.all.isEmpty)
    #expect(stubs.requests.count == 1)
  }

  @Test("A failure other than a 401 passes, and the chained publisher does not run")
  func passesFailures() async throws {
    let stubs = StubTransport(.get, Self.url, result: .failure(TestFailure()))
    let log = ValueLog<String>()
    let chain = chained(Empty<Int, any Error>(), after: stubs, log: log)
    await #expect(throws: TestFailure()) {
      try await me(stubs).retryOnceOnUnauthorizedResponse(chainedRequest: chain).value
    }
    #expect(log.all.isEmpty)
    #expect(stubs.requests.count == 1)
  }

  @Test("If the chained publisher fails, its failure is the call's, and nothing more is sent")
  func chainFails() async throws {
    let stubs = stubs(401)
    await #expect(throws: TestFailure(name: "chain")) {
      try await me(stubs).retryOnceOnUnauthorizedResponse(
        chainedRequest: Fail<String, any Error>(error: TestFailure(name: "chain"))
      ).value
    }
    #expect(stubs.requests.count == 1)
  }

  @Test("A 401 of the chained publisher does not count as the request's own")
  func chainFailsWithUnauthorized() async throws {
    let stubs = stubs(401, 200)
    let chain = StubTransport(.post, "https://api.example.com/v1/auth", statusCode: 401)
    let error = try await restError(
      of: me(stubs).retryOnceOnUnauthorizedResponse(
        chainedRequest: TestAPI(transport: chain).post(endpoint: "auth", body: nil)
          .validateStatus()))
    #expect(error.isUnauthorized)
    #expect(error.request?.method == .post)
    #expect(stubs.requests.count == 1)
    #expect(chain.requests.count == 1)
  }

  @Test("The chained publisher may emit nothing, one value or many")
  func chainedValues() async throws {
    func check<P: Publisher>(_ chain: P) async throws where P.Failure == any Error {
      let stubs = stubs(401, 200)
      let subscriber = TestSubscriber<RESTResponse, any Error>()
      me(stubs).retryOnceOnUnauthorizedResponse(chainedRequest: chain)
        .receive(subscriber: subscriber)
      #expect(subscriber.values.map(\.statusCode) == [200])
      #expect(subscriber.isFinished)
      #expect(stubs.requests.count == 2)
    }
    try await check(Empty<Never, any Error>())
    try await check(Just(()).setFailureType(to: (any Error).self))
    try await check(Just("text").setFailureType(to: (any Error).self))
    try await check([1, 2, 3].publisher.setFailureType(to: (any Error).self))
  }

  @Test("The retry waits for the chained publisher's end, not for its value")
  func waitsForCompletion() {
    let stubs = stubs(401, 200)
    let chain = TestPublisher<Int, any Error>()
    let subscriber = TestSubscriber<RESTResponse, any Error>()
    me(stubs).retryOnceOnUnauthorizedResponse(chainedRequest: chain)
      .receive(subscriber: subscriber)
    chain.send(1)
    #expect(stubs.requests.count == 1)
    chain.send(completion: .finished)
    #expect(stubs.requests.count == 2)
    #expect(subscriber.values.map(\.statusCode) == [200])
  }

  @Test("A second 401 is final, and its error keeps head, body and problem")
  func secondIsFinal() async throws {
    let body = #"{"title": "expired", "type": "urn:x"}"#
    let stubs = StubTransport(
      StubAPIResponse(request: Self.request, statusCode: 401, result: .json("first"))
        .thenRespondWith(
          request: Self.request, statusCode: 401,
          headers: ["Content-Type": "application/problem+json", "WWW-Authenticate": "Bearer"],
          result: .json(body)))
    let log = ValueLog<String>()
    let chain = chained(Empty<Int, any Error>(), after: stubs, log: log)
    let error = try await restError(
      of: me(stubs).retryOnceOnUnauthorizedResponse(chainedRequest: chain))
    #expect(error.isUnauthorized)
    #expect(error.kind == .status(401))
    #expect(error.body == Data(body.utf8))
    #expect(error.response?.headers["WWW-Authenticate"] == "Bearer")
    #expect(error.problem?.title == "expired")
    #expect(log.all == ["chained after 1"])
    #expect(stubs.requests.count == 2)
  }

  @Test("The second response passes with any other status", arguments: [204, 403, 500])
  func secondPasses(status: Int) async throws {
    let stubs = stubs(401, status)
    let response = try await me(stubs)
      .retryOnceOnUnauthorizedResponse(chainedRequest: Empty<Int, any Error>()).value
    #expect(response.statusCode == status)
  }

  @Test("Each subscription has its own retry")
  func eachSubscription() async throws {
    let stubs = stubs(401, 200, 401, 200)
    let log = ValueLog<String>()
    let publisher = me(stubs).retryOnceOnUnauthorizedResponse(
      chainedRequest: chained(Empty<Int, any Error>(), after: stubs, log: log))
    for _ in 1...2 { #expect(try await publisher.value.statusCode == 200) }
    #expect(log.all == ["chained after 1", "chained after 3"])
  }

  @Test("A cancel while the chained publisher runs cancels it, and nothing more is sent")
  func cancelDuringChain() {
    let stubs = stubs(401, 200)
    let chain = TestPublisher<Int, any Error>()
    let subscriber = TestSubscriber<RESTResponse, any Error>()
    me(stubs).retryOnceOnUnauthorizedResponse(chainedRequest: chain)
      .receive(subscriber: subscriber)
    #expect(chain.subscriberCount == 1)
    subscriber.cancel()
    #expect(chain.cancelCount == 1)
    chain.send(completion: .finished)
    #expect(stubs.requests.count == 1)
    #expect(subscriber.completions.isEmpty)
    #expect(subscriber.values.isEmpty)
  }

  @Test("The modifier of the retried request runs anew, after the chained publisher")
  func modifierRunsAfterChain() async throws {
    let stubs = stubs(401, 200)
    let store = MemoryTokenStore(Credential(accessToken: "old"))
    let chain = Deferred {
      store.write(Credential(accessToken: "new"))
      return Empty<Int, any Error>()
    }
    _ = try await TestAPI(transport: stubs).get(endpoint: "me") {
      $0.addingBearerAuthorization(token: store.read()?.accessToken ?? "")
    }.retryOnceOnUnauthorizedResponse(chainedRequest: chain).value
    let tokens = stubs.requests.map { $0.value(forHTTPHeaderField: "Authorization") }
    #expect(tokens == ["Bearer old", "Bearer new"])
  }
}
