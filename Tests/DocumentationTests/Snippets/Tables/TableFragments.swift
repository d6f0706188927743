// Code that stands in tables of the guides, so that the compiler checks it. `TableTests` compares.
import Foundation
import RESTKit
import RESTKitTesting
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

enum TableFragments {
  struct ShopAPI: RESTAPI {
    let baseURL = "https://shop.example.com"
  }

  nonisolated enum OwnMethod: String { case get = "GET" }

  // MARK: Requests

  static func requests(
    _ shop: ShopAPI, filters: [String: String], ids: [Int], url: URL, method: OwnMethod,
    publisher: AnyPublisher<Data, any Error>
  ) -> [AnyPublisher<RESTResponse, any Error>] {
    [
      shop.get(endpoint: "products", headers: ["Accept-Language": "de"]),
      shop.get(url: url),
      shop.get(endpoint: "products", query: QueryItems(filters)),
      shop.get(endpoint: "products", query: QueryItems(ids.map { ("ids", $0) })),
      shop.get(endpoint: "products", query: ["ids": ids.map(String.init).joined(separator: ",")]),
      shop.post(endpoint: "products", body: .json(["name": "tea"])),
      shop.post(endpoint: "products", body: .form(["name": "tea"])),
      shop.request(RESTKit.HTTPMethod(method.rawValue), endpoint: "products"),
      shop.get(endpoint: "products").validateStatus(200...204).eraseToAnyPublisher(),
      shop.upload(endpoint: "products", body: .chunks(publisher)).compactMap { event in
        if case .response(let response) = event { response } else { nil }
      }
      .eraseToAnyPublisher(),
    ]
  }

  struct Products: RESTKit.Endpoint {
    typealias Response = [String]
    let path: ResourcePath = "products"
    let query: QueryItems = ["page": 2]
  }

  static func responses(
    _ response: RESTResponse, of responses: AnyPublisher<RESTResponse, any Error>
  ) -> (String?, AnyPublisher<String, any Error>) {
    (
      response.headers["Content-Type"],
      responses.map { String(decoding: $0.data, as: UTF8.self) }.eraseToAnyPublisher()
    )
  }

  static let onlyLostConnections = RetryPolicy(statuses: [], faults: [.connectionReset])

  static let refusals: [RefusalRule] = [
    .unauthorized.or(.errorCode(["expired"], in: "code")),
    .unauthorized.or(.insufficientScope),
    .unauthorized.and(.errorCode(["M_UNKNOWN_TOKEN"], in: "errcode")),
    .status(403).and(.errorCode(["M_UNKNOWN_TOKEN"], in: "errcode")),
    .errorCode(["bad_refresh_token"]),
  ]

  // MARK: Errors

  static func isMissing(_ error: RESTError) -> Bool { error.kind == .status(404) }

  static let kinds: [RESTError.Kind] = [
    .transport(.connectionRefused), .transport(.malformedResponse),
    .transport(.connectionClosedBeforeResponse), .transport(.undecodableBody),
    .transport(.unsupportedURL), .transport(.tlsFailed(.notTLS)),
  ]

  static let faults: [TransportError.Kind] = [
    .limitExceeded(.bodyBytes), .limitExceeded(.headerBytes), .limitExceeded(.headerCount),
    .limitExceeded(.headerLineBytes), .limitExceeded(.errorBodyBytes),
    .tlsFailed(.untrustedIssuer), .tlsFailed(.selfSigned), .tlsFailed(.notTLS),
    .tlsFailed(.handshake), .tlsFailed(.required), .tlsFailed(.certificateExpired),
  ]

  static let cacheStatuses: [CacheStatus] = [
    .hit(ttl: 50), .hit(ttl: -10, detail: "stale-while-revalidate"),
    .forwarded(.stale, status: 304, isStored: true, detail: nil),
    .forwarded(.uriMiss, isStored: true, ttl: 60),
    .forwarded(.uriMiss, detail: "not stored: Vary: *"),
  ]

  // MARK: Stubs

  static func stubs(url: URL, data: Data, error: any Error) -> [StubAPIResponse] {
    let asked: [StubRequest] = [
      StubRequest(.get, host: "h", path: "/a"),
      StubRequest(.get).query(containing: ["q": "1"]),
      StubRequest(.get).header("X", "1"),
      StubRequest(.post).jsonBody(#"{"a": 1}"#),
      StubRequest(.get).matching("what it asks for") { request in request.url != nil },
    ]
    return asked.map { StubAPIResponse(request: $0, result: .file(url)) } + [
      StubAPIResponse(request: asked[0], result: .fault(.resetBeforeResponse)),
      StubAPIResponse(request: asked[0], result: .failure(error)),
      StubAPIResponse(
        request: .init(.get, urlString: "https://h/a"), statusCode: 200, result: .success(data)),
    ]
  }
}
