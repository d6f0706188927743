import Fixtures
import Foundation
import RESTKit
import RESTKitTesting
import Streams
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("A policy's own rule about what another attempt may change", .leakFree)
struct RetryOwnRuleTests {
  private static let url = "https://api.example.com/v1/jobs"

  private func stub(
    _ method: HTTPMethod = .get, status: Int = 200, headers: HTTPHeaders = [:], body: String = ""
  ) -> StubAPIResponse {
    StubAPIResponse(
      request: .init(method, urlString: Self.url), statusCode: status, headers: headers,
      result: .success(Data(body.utf8)))
  }

  private func api(
    _ stubs: StubTransport, _ rule: @escaping @Sendable (Result<RESTResponse, any Error>) -> Bool?
  ) -> TestAPI {
    TestAPI(
      transport: stubs, retry: RetryPolicy(isTransient: rule, scheduler: .immediate))
  }

  private let isPending: @Sendable (Result<RESTResponse, any Error>) -> Bool? = { outcome in
    switch outcome {
    case .success(let response) where response.data == Data("pending".utf8): true
    case .success(let response) where response.statusCode == 503: false
    default: nil
    }
  }

  @Test("A response that it calls transient is repeated, by every verb of the API")
  func response() async throws {
    let stubs = StubTransport(
      stub(body: "pending"), stub(body: "pending"), stub(body: "done"), stub(.put, body: "pending"),
      stub(.put, body: "done"))
    let api = api(stubs, isPending)
    #expect(try await api.get(endpoint: "jobs").value.data == Data("done".utf8))
    let body = RequestBody.data(Data(), contentType: nil)
    let upload = try await api.upload(.put, endpoint: "jobs", body: body).allValues
    #expect(upload.last.map { "\($0)".contains("200") } == true)
    #expect(stubs.requests.count == 5)
  }

  @Test("After the last attempt, the response comes through")
  func last() async throws {
    let stubs = StubTransport(stub(body: "pending"), stub(body: "pending"), stub(body: "pending"))
    #expect(
      try await api(stubs, isPending).get(endpoint: "jobs").value.data == Data("pending".utf8))
    #expect(stubs.requests.count == 3)
  }

  @Test("What it calls final is delivered, and nil leaves it to the statuses")
  func final() async throws {
    let stubs = StubTransport(stub(status: 503), stub(status: 502), stub())
    let api = api(stubs, isPending)
    #expect(try await api.get(endpoint: "jobs").value.statusCode == 503)
    #expect(try await api.get(endpoint: "jobs").value.statusCode == 200)
    #expect(stubs.requests.count == 3)
  }

  @Test("A failure that no policy repeats is repeated if it says so, and a status's error as well")
  func failure() async throws {
    let stubs = StubTransport(
      stub(body: #"{"a": "#), stub(body: "[1]"), stub(status: 423), stub(body: "[2]"))
    let policy = RetryPolicy(
      isTransient: { outcome in
        guard case .failure(let error as RESTError) = outcome else { return nil }
        return error.kind == .malformedResponse || error.kind == .status(423)
      }, scheduler: .immediate)
    let api = TestAPI(transport: stubs)
    let first = api.get(endpoint: "jobs").unwrapResultJSON().eraseToAnyPublisher().retry(policy)
    #expect(try await first.value.data == Data("[1]".utf8))
    let second = api.get(endpoint: "jobs").validateStatus().eraseToAnyPublisher().retry(policy)
    #expect(try await second.value.data == Data("[2]".utf8))
  }

  @Test("A POST is not repeated because of it, unless it has a key; the log says both")
  func post() async throws {
    let stubs = StubTransport(
      stub(.post, body: "pending"), stub(.post, body: "pending"), stub(.post, body: "done"))
    let api = api(stubs, isPending)
    let once = try await api.post(endpoint: "jobs").value
    #expect(once.data == Data("pending".utf8))
    #expect(stubs.requests.count == 1)
    let keyed = api.post(endpoint: "jobs", headers: ["Idempotency-Key": "k"])
    #expect(try await keyed.value.data == Data("done".utf8))
    #expect(stubs.requests.count == 3)
  }

  @Test("Its retries spend the budget")
  func budget() async throws {
    let stubs = StubTransport(stub(body: "pending"), stub(body: "pending"))
    let policy = RetryPolicy(
      budget: RetryBudget(burst: 1), isTransient: isPending, scheduler: .immediate)
    let response = try await TestAPI(transport: stubs, retry: policy).get(endpoint: "jobs").value
    #expect(response.data == Data("pending".utf8))
    #expect(stubs.requests.count == 2)
  }

  @Test("A Retry-After counts for a response that it calls transient")
  func retryAfter() async throws {
    let stubs = StubTransport(stub(headers: ["Retry-After": "31"], body: "pending"))
    let response = try await api(stubs, isPending).get(endpoint: "jobs").value
    #expect(response.data == Data("pending".utf8))
    #expect(stubs.requests.count == 1)
  }
}
