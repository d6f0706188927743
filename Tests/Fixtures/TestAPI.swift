import Foundation
import RESTKit
import RESTKitTesting
import Streams
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// An API at a place and over a transport that a test chooses.
package struct TestAPI: RESTAPI {
  /// The place of the API, where a test has no path before those of its endpoints.
  package static let origin = "https://api.example.com"

  package var baseURL: String
  package let transport: any Transport
  package var headers: HTTPHeaders
  package var timeout: Duration?
  package var redirects: RedirectPolicy
  package var secretHeaders: [String]
  package var session: TokenSession?
  package var retry: RetryPolicy?
  package var rateLimiter: RateLimiter?
  package var cache: HTTPCache?
  package var coalescer: RequestCoalescer?
  package var requestCompression: RequestCompression?

  package init(
    baseURL: String = TestAPI.origin + "/v1", transport: any Transport,
    headers: HTTPHeaders = [:], timeout: Duration? = nil,
    redirects: RedirectPolicy = .follow, secretHeaders: [String] = [],
    session: TokenSession? = nil, retry: RetryPolicy? = nil, rateLimiter: RateLimiter? = nil,
    cache: HTTPCache? = nil, coalescer: RequestCoalescer? = nil,
    requestCompression: RequestCompression? = nil
  ) {
    self.baseURL = baseURL
    self.transport = transport
    self.headers = headers
    self.timeout = timeout
    self.redirects = redirects
    self.secretHeaders = secretHeaders
    self.session = session
    self.retry = retry
    self.rateLimiter = rateLimiter
    self.cache = cache
    self.coalescer = coalescer
    self.requestCompression = requestCompression
  }
}

/// The verbs of `RESTAPI`, each by its own method.
package enum VerbKind: String, CaseIterable, Sendable {
  case get, head, delete, post, put, patch

  package var method: HTTPMethod { HTTPMethod(rawValue.uppercased()) }

  package var takesBody: Bool { self == .post || self == .put || self == .patch }

  package func send(
    _ api: TestAPI, endpoint: String, query: QueryItems = [], body: Data? = nil,
    modifier: @escaping RequestModifier = { $0 }
  ) -> AnyPublisher<RESTResponse, any Error> {
    switch self {
    case .get: api.get(endpoint: endpoint, query: query, requestModifier: modifier)
    case .head: api.head(endpoint: endpoint, query: query, requestModifier: modifier)
    case .delete: api.delete(endpoint: endpoint, query: query, requestModifier: modifier)
    case .post:
      api.post(
        endpoint: endpoint, query: query, body: body.map { .data($0) }, requestModifier: modifier)
    case .put:
      api.put(
        endpoint: endpoint, query: query, body: body.map { .data($0) }, requestModifier: modifier)
    case .patch:
      api.patch(
        endpoint: endpoint, query: query, body: body.map { .data($0) }, requestModifier: modifier)
    }
  }
}

/// The error of RESTKit's that a publisher fails with.
package func restError<P: Publisher>(
  of publisher: P, sourceLocation: SourceLocation = #_sourceLocation
) async throws -> RESTError {
  try await #require(throws: RESTError.self, sourceLocation: sourceLocation) {
    try await publisher.value
  }
}

extension StubTransport {
  /// One that answers one request.
  package convenience init(
    _ method: HTTPMethod, _ url: String, statusCode: Int = 200, headers: HTTPHeaders = [:],
    result: Result<Data, any Error> = .success(Data())
  ) {
    self.init(
      StubAPIResponse(
        request: .init(method, urlString: url), statusCode: statusCode, headers: headers,
        result: result))
  }
}

/// A failure that is not RESTKit's.
package struct TestFailure: Error, Equatable {
  package var name: String

  package init(name: String = "test") { self.name = name }
}

extension URLRequest {
  /// This request with one more header field.
  package func adding(_ name: String, _ value: String) -> URLRequest {
    var request = self
    request.setValue(value, forHTTPHeaderField: name)
    return request
  }
}
