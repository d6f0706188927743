import Foundation
import RESTKitTesting
import Streams
import Testing

@testable import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A token endpoint that gives one answer, and remembers what it was asked.
final class TokenEndpoint: Sendable {
  private let answer: @Sendable () -> StubAPIResponse
  private let asked = Lock<[URLRequest]>([])

  init(
    statusCode: Int = 200, headers: HTTPHeaders = [:],
    result: Result<Data, any Error> = .json(#"{"access_token": "canary-new"}"#)
  ) {
    answer = {
      StubAPIResponse(
        request: .init(.post, urlString: "https://id.example.com/o/token/"),
        statusCode: statusCode, headers: headers, result: result)
    }
  }

  /// The requests so far.
  var requests: [URLRequest] { asked.withLock { $0 } }

  /// The form of the one request.
  var form: String {
    get throws {
      #expect(requests.count == 1)
      return String(decoding: try #require(requests.first?.httpBody), as: UTF8.self)
    }
  }

  func client(_ authentication: ClientAuthentication = .none, id: String = "app") -> OAuthClient {
    let stub = answer().thenVerifyRequest { [self] request in asked.withLock { $0.append(request) }
    }
    return OAuthClient(
      tokenEndpoint: "https://id.example.com/o/token/", id: id, authentication: authentication,
      transport: StubTransport(stub))
  }

  /// Why a refresh fails here.
  func failure(
    _ credential: Credential? = .canaries, _ location: SourceLocation = #_sourceLocation
  ) async throws -> GrantError {
    try await #require(throws: GrantError.self, sourceLocation: location) {
      try await RefreshTokenGrant(self.client()).token(renewing: credential).value
    }
  }
}

/// Answers 200 to one bearer token, and 401 to all others.
struct TokenCheckingTransport: Transport {
  let token: String

  func response(for request: URLRequest) -> AnyPublisher<RESTResponse, any Error> {
    let isAccepted = request.value(forHTTPHeaderField: "Authorization") == "Bearer \(token)"
    return Result<RESTResponse, any Error> {
      let head = ResponseHead(url: try #require(request.url), statusCode: isAccepted ? 200 : 401)
      return RESTResponse(head: head, data: Data(), request: RequestSummary(request))
    }
    .publisher
    .eraseToAnyPublisher()
  }
}
