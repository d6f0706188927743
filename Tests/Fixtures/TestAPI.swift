import Foundation
import RESTKit
import RESTKitTesting
import Streams
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// An API at a place and over a transport that a test chooses.
struct TestAPI: RESTAPI {
  var baseURL = "https://api.example.com/v1"
  let transport: any Transport
  var redirects = RedirectPolicy.follow
  var secretHeaders: [String] = []
}

/// The verbs of `RESTAPI`, each by its own method.
enum Verb: String, CaseIterable, Sendable {
  case get, head, delete, post, put, patch

  var method: HTTPMethod { HTTPMethod(rawValue.uppercased()) }

  var takesBody: Bool { self == .post || self == .put || self == .patch }

  func send(
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
func restError<P: Publisher>(
  of publisher: P, sourceLocation: SourceLocation = #_sourceLocation
) async throws -> RESTError {
  try await #require(throws: RESTError.self, sourceLocation: sourceLocation) {
    try await publisher.value
  }
}

extension StubTransport {
  /// One that answers one request.
  convenience init(
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
struct TestFailure: Error, Equatable {
  var name = "test"
}

extension URLRequest {
  /// This request with one more header field.
  func adding(_ name: String, _ value: String) -> URLRequest {
    var request = self
    request.setValue(value, forHTTPHeaderField: name)
    return request
  }
}
