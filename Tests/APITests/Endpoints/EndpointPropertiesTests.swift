import Fixtures
import Foundation
import RESTKit
import RESTKitTesting
import Streams
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("An endpoint's body is sent, whether its type is optional or not", .leakFree)
struct EndpointPropertiesTests {
  private struct RequiredEndpoint: Endpoint {
    typealias Response = RESTResponse
    let path: ResourcePath = "orders"
    let method = HTTPMethod.post
    let body: RequestBody?
  }

  private struct ConcreteEndpoint: Endpoint {
    typealias Response = RESTResponse
    let path: ResourcePath = "orders"
    let method = HTTPMethod.post
    let body: RequestBody
  }

  private struct BareEndpoint: Endpoint {
    typealias Response = RESTResponse
    let path: ResourcePath = "orders"
  }

  /// A type for many calls, whose parameter has the name of the protocol's own type.
  private struct Call<Response: Decodable & Sendable>: Endpoint {
    var method = HTTPMethod.get
    let path: ResourcePath
    var body: RequestBody?
  }

  @Test("One generic endpoint makes many calls")
  func generic() async throws {
    let transport = StubTransport(
      StubAPIResponse(
        request: .init(.get, urlString: "https://api.example.com/v1/names"),
        result: .json(#"["Ada"]"#)),
      StubAPIResponse(
        request: .init(.post, urlString: "https://api.example.com/v1/sum"), result: .json("3")))
    let api = TestAPI(transport: transport)
    #expect(try await api.send(Call<[String]>(path: "names")) == ["Ada"])
    let sum = Call<Int>(method: .post, path: "sum", body: .json([1, 2]))
    #expect(try await api.send(sum) == 3)
  }

  /// The method, the body and its type that are sent.
  private func sent(_ endpoint: some Endpoint) async throws -> [String?] {
    let transport = StubTransport(
      StubAPIResponse(
        request: .init(endpoint.method, urlString: "https://api.example.com/v1/orders")))
    _ = try await TestAPI(transport: transport).send(endpoint)
    let request = try #require(transport.requests.first)
    return [
      request.httpMethod, request.httpBody.map { String(decoding: $0, as: UTF8.self) },
      request.value(forHTTPHeaderField: "Content-Type"),
    ]
  }

  @Test("A body of a non-optional type is sent like an optional one")
  func bodies() async throws {
    let body = RequestBody.json(["sku": "A-1"])
    let expected = ["POST", #"{"sku":"A-1"}"#, "application/json"]
    #expect(try await sent(RequiredEndpoint(body: body)) == expected)
    #expect(try await sent(ConcreteEndpoint(body: body)) == expected)
    #expect((ConcreteEndpoint(body: body) as any Endpoint).body != nil)
  }

  @Test("An undeclared property of an endpoint has its default")
  func defaults() async throws {
    #expect(try await sent(BareEndpoint()) == ["GET", nil, nil])
    #expect(try await sent(RequiredEndpoint(body: nil)) == ["POST", nil, nil])
  }
}
