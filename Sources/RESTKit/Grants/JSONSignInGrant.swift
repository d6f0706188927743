import Foundation
import Streams

/// A sign-in whose response is JSON with the tokens, such as that of a login form.
///
/// Unless the parameters say otherwise, the grant sends `POST auth/login` with the body, and
/// expects the response that a ``JSONRefreshGrant`` expects. Both take the same names:
///
/// ```swift
/// let names = JSONRefreshGrant.Names(
///   sentRefreshToken: "refresh_token", lifetime: "expires_in_ms", account: "user_id",
///   extras: ["device_id"])
/// let grant = JSONSignInGrant(
///   baseURL: "https://chat.example.com", endpoint: "login",
///   body: .json(["user": .string(user), "password": .string(password)]), names: names)
/// try await session.signIn(with: grant).value
/// ```
///
/// The lifetime counts from the moment of the request, by the session's clock. A redirect fails,
/// because the redirected request would contain the body.
public struct JSONSignInGrant: SignInGrant {
  private struct API: RESTAPI {
    let baseURL: String
    let transport: any Transport
  }

  private let request: @Sendable () -> AnyPublisher<RESTResponse, any Error>
  private let names: JSONRefreshGrant.Names
  private let account: String?

  /// - Parameters:
  ///   - baseURL: The base URL of the API that signs in.
  ///   - method: The method of the request.
  ///   - endpoint: The path of the sign-in below the base URL.
  ///   - body: The body of the request, with what proves who the user is.
  ///   - names: The names of the members of the response.
  ///   - account: The owner of the credential, if the response names none.
  ///   - transport: The transport that sends the request.
  public init(
    baseURL: String, method: HTTPMethod = .post, endpoint: String = "auth/login",
    body: RequestBody, names: JSONRefreshGrant.Names = JSONRefreshGrant.Names(),
    account: String? = nil, transport: any Transport = .shared
  ) {
    let api = API(baseURL: baseURL, transport: transport)
    self.names = names
    self.account = account
    request = {
      api.request(method, endpoint: endpoint, body: body) { $0.acceptingJSON() }
    }
  }

  /// Creates a sign-in by the request of an endpoint, of any ``Endpoint/Response``.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint. Its request carries no token of the session that signs in.
  ///   - api: The API of the endpoint.
  ///   - names: The names of the members of the response.
  ///   - account: The owner of the credential, if the response names none.
  public init(
    _ endpoint: some Endpoint, of api: some RESTAPI,
    names: JSONRefreshGrant.Names = JSONRefreshGrant.Names(), account: String? = nil
  ) {
    self.names = names
    self.account = account
    request = {
      RequestSender(for: api).response(
        to: RequestDraft(endpoint, of: RequestBase(api), requestModifier: { $0 }),
        retry: endpoint.retry)
    }
  }

  /// - Errors: ``RESTError`` for a status that is not 200...299 and for a response without a token;
  ///   ``RefreshError/emptyAccessToken``.
  public func credential(
    at now: @escaping @Sendable () -> Date
  ) -> AnyPublisher<Credential, any Error> {
    Deferred { [self] in
      let date = now()
      return request()
        .context(RedirectBound.Key.self, .place)
        .unwrapResultJSON(key: names.envelope)
        .tryMap { response in
          let (token, account) = try response.token(named: names)
          guard !token.accessToken.trimmingCharacters(in: .whitespacesAndNewlines).isEmpty else {
            throw RefreshError.emptyAccessToken
          }
          return Credential(token, issuedAt: date, account: account ?? self.account)
        }
        .mapError { ($0 as? RESTError)?.readAsTokenResponse ?? $0 }
    }
    .eraseToAnyPublisher()
  }
}

extension JSONSignInGrant: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable
{
  /// The name of the type: the request holds secrets.
  public var description: String { "JSONSignInGrant" }

  public var debugDescription: String { description }

  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
