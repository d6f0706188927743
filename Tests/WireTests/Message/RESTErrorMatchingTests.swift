import Fixtures
import Foundation
import RESTKit
import RESTKitTesting
import Streams
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Matching a RESTError", .timeLimit(.minutes(10)))
struct RESTErrorMatchingTests {
  private struct OwnError: Error, Equatable {
    let secret: String
  }

  private static let orders = StubRequest(.get, urlString: "https://shop.example.com/orders")
  private static let refresh = StubRequest(.post, urlString: "https://shop.example.com/refresh")

  private func error(status: Int) async throws -> RESTError {
    let api = TestAPI(
      baseURL: "https://shop.example.com",
      transport: StubTransport(StubAPIResponse(request: Self.orders, statusCode: status)))
    return try await #require(throws: RESTError.self) {
      try await api.get(endpoint: "orders").validateStatus().value
    }
  }

  @Test("retryOn with a kind runs the chained request, and then the request again")
  func retriesOnKind() async throws {
    let stubs = StubTransport(
      StubAPIResponse(request: Self.orders, statusCode: 401)
        .thenRespondWith(request: Self.refresh)
        .thenRespondWith(request: Self.orders, result: .json("[]")))
    let api = TestAPI(baseURL: "https://shop.example.com", transport: stubs)
    let response = try await api.get(endpoint: "orders").validateStatus()
      .retryOn(
        .unauthorized, retries: 1, chainedPublisher: api.post(endpoint: "refresh", body: nil)
      )
      .value
    #expect(response.statusCode == 200)
    try stubs.verify()
  }

  @Test("retryOn with a kind passes a failure of another kind or another type")
  func passesOthers() async throws {
    let stubs = StubTransport(StubAPIResponse(request: Self.orders, statusCode: 403))
    let error = await #expect(throws: RESTError.self) {
      try await TestAPI(baseURL: "https://shop.example.com", transport: stubs).get(
        endpoint: "orders"
      ).validateStatus()
        .retryOn(.unauthorized, retries: 1, chainedPublisher: Just(1))
        .value
    }
    #expect(error?.isForbidden == true)
    try stubs.verify()
    await #expect(throws: OwnError.self) {
      try await Fail<Int, any Error>(error: OwnError(secret: ""))
        .retryOn(.unauthorized, retries: 1, chainedPublisher: Just(1)).value
    }
  }

  @Test("retryOn with a kind works with the failure type RESTError")
  func retriesTyped() async throws {
    let stubs = StubTransport(
      StubAPIResponse(request: Self.orders, statusCode: 409)
        .thenRespondWith(request: Self.refresh)
        .thenRespondWith(request: Self.orders))
    let api = TestAPI(baseURL: "https://shop.example.com", transport: stubs)
    let response = try await api.get(endpoint: "orders").validateStatus().mapRESTError()
      .retryOn(
        .conflict, retries: 1,
        chainedPublisher: api.post(endpoint: "refresh", body: nil).mapRESTError()
      )
      .value
    #expect(response.statusCode == 200)
    try stubs.verify()
  }

  @Test(
    "Each status matches its kind names",
    arguments: [
      (401, [true, false, false, true, false]), (403, [false, true, false, true, false]),
      (404, [false, false, true, true, false]), (499, [false, false, false, true, false]),
      (500, [false, false, false, false, true]), (599, [false, false, false, false, true]),
      (302, [false, false, false, false, false]),
    ])
  func names(status: Int, expected: [Bool]) async throws {
    let error = try await error(status: status)
    #expect(
      [
        error.isUnauthorized, error.isForbidden, error.isNotFound, error.isClientError,
        error.isServerError,
      ] == expected)
    #expect(!error.isTimeout)
  }

  @Test("A timeout and a status have kinds with names")
  func kinds() async throws {
    let request = RequestSummary(
      URLRequest(url: try #require(URL(string: "https://shop.example.com"))))
    let timeout = RESTError(
      TransportError(kind: .timedOut, mayHaveBeenProcessed: true), request: request)
    #expect(timeout.isTimeout && timeout.kind == .timedOut && !timeout.isServerError)
    #expect(try await error(status: 429).kind == .tooManyRequests)
    #expect(try await error(status: 404).kind == .notFound)
  }

  @Test("mapRESTError keeps a RESTError unchanged")
  func keepsOwn() async throws {
    let stubs = StubTransport(
      StubAPIResponse(request: Self.orders, statusCode: 404, result: .json(#"{"title": "gone"}"#)))
    let error = await #expect(throws: RESTError.self) {
      try await TestAPI(baseURL: "https://shop.example.com", transport: stubs).get(
        endpoint: "orders"
      ).validateStatus().mapRESTError().value
    }
    #expect(error?.isNotFound == true)
    #expect(error?.body == Data(#"{"title": "gone"}"#.utf8))
  }

  @Test("mapRESTError keeps another error, and shows nothing of its text")
  func keepsOther() async throws {
    let error = await #expect(throws: RESTError.self) {
      try await Fail<Int, any Error>(error: OwnError(secret: "canary")).mapRESTError().value
    }
    #expect(error?.kind == .other)
    #expect(error?.underlyingError as? OwnError == OwnError(secret: "canary"))
    #expect(
      error?.description
        == "the pipeline failed with an error of type OwnError. The error's `underlyingError` is that error."
    )
  }

  @Test("A stage after mapRESTError gets the error in its own type")
  func isTyped() async throws {
    let stubs = StubTransport(StubAPIResponse(request: Self.orders, statusCode: 404))
    let status = try await TestAPI(baseURL: "https://shop.example.com", transport: stubs).get(
      endpoint: "orders"
    ).validateStatus()
      .mapRESTError()
      .map { _ in "found" }
      .catch { error in Just(error.isNotFound ? "none" : "failed") }
      .value
    #expect(status == "none")
  }
}
