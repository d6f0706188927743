import Fixtures
import Foundation
import RESTKitTesting
import Streams

@testable import RESTKit
@testable import RESTKitSignIn

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// An authorization server that answers each path by a list, whose last response repeats.
final class SignInServer: Transport {
  enum ServerResponse: Sendable {
    case json(String, status: Int = 200, headers: HTTPHeaders = [:])
    case lost(TransportError.Kind)
    /// Nothing ever comes.
    case never
  }

  static let issuer = "https://id.example.com"

  private struct State: Sendable {
    var answers: [String: [ServerResponse]]
    var requests: [URLRequest] = []
    var cancelCount = 0
  }

  private let state: Lock<State>

  init(_ answers: [String: [ServerResponse]] = [:]) {
    state = Lock(State(answers: answers))
  }

  static let token = ServerResponse.json(
    #"{"access_token": "canary-a", "refresh_token": "canary-r", "expires_in": 60}"#)

  static func error(_ code: String, status: Int = 400, more: String = "") -> ServerResponse {
    .json(#"{"error": "\#(code)"\#(more)}"#, status: status)
  }

  var requests: [URLRequest] { state.withLock { $0.requests } }
  var cancelCount: Int { state.withLock { $0.cancelCount } }

  /// The forms that a path was sent, in order.
  func forms(at path: String) -> [String] {
    requests.filter { $0.url?.path == path }
      .map { String(decoding: $0.httpBody ?? Data(), as: UTF8.self) }
  }

  /// What a client with a key knows of this server.
  var metadata: AuthorizationServer {
    get throws {
      try AuthorizationServer(
        issuer: Self.issuer, tokenEndpoint: "https://id.example.com/token",
        revocationEndpoint: "https://id.example.com/revoke")
    }
  }

  /// A client of this server.
  func client(
    _ authentication: ClientAuthentication = .none, sendsIssuer: Bool = false,
    methods: [String]? = nil, authorizationEndpoint: String? = "https://id.example.com/authorize"
  ) throws -> OAuthClient {
    let server = try AuthorizationServer(
      issuer: Self.issuer, tokenEndpoint: "https://id.example.com/token",
      authorizationEndpoint: authorizationEndpoint,
      deviceAuthorizationEndpoint: "https://id.example.com/device",
      revocationEndpoint: "https://id.example.com/revoke", codeChallengeMethods: methods,
      sendsIssuer: sendsIssuer)
    return OAuthClient(server: server, id: "app", authentication: authentication, transport: self)
  }

  func response(for request: URLRequest) -> AnyPublisher<RESTResponse, any Error> {
    Single { [self] resolve in
      let path = request.url?.path ?? ""
      let answer = state.withLock { state -> ServerResponse in
        state.requests.append(request)
        guard let answers = state.answers[path], let first = answers.first else {
          return .json("", status: 404)
        }
        if answers.count > 1 { state.answers[path]?.removeFirst() }
        return first
      }
      switch answer {
      case .json(let text, let status, let headers):
        let head = ResponseHead(
          url: request.url ?? URL(fileURLWithPath: "/"), statusCode: status, headers: headers)
        resolve(
          .success(
            RESTResponse(head: head, data: Data(text.utf8), request: RequestSummary(request))))
        return AnyCancellable {}
      case .lost(let kind):
        resolve(
          .failure(
            RESTError(
              TransportError(kind: kind, mayHaveBeenProcessed: true),
              request: RequestSummary(request))))
        return AnyCancellable {}
      case .never:
        return AnyCancellable { [self] in state.withLock { $0.cancelCount += 1 } }
      }
    }
    .eraseToAnyPublisher()
  }
}

extension Credential {
  /// The server's credential, in the form of a store.
  static let signedIn = Credential(accessToken: "canary-a", refreshToken: "canary-r")
}

extension URL {
  /// The values of a parameter of the query.
  func values(of name: String) -> [String?] {
    [URLQueryItem].pairs(of: Substring(query(percentEncoded: true) ?? ""))
      .filter { $0.name == name }.map(\.value)
  }
}
