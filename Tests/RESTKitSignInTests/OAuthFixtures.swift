import Fixtures
import Foundation
import RESTKitTesting
import Streams
import Testing

@testable import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A token endpoint that gives one response, and remembers what it was asked.
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
