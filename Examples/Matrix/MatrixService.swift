public import Foundation
public import RESTKit
public import Streams

/// What every call of a Matrix client returns.
public typealias MatrixPublisher<Output: Sendable> = AnyPublisher<Output, MatrixFailure>

/// A client of a Matrix homeserver, with the session of one user.
public struct MatrixService: TypedFailureAPI {
  public typealias Failure = MatrixFailure
  public let baseURL: String
  public let transport: any Transport
  public let session: TokenSession
  public let decoder = JSONDecoder.matrix
  public var retry: RetryPolicy? = .matrix
  /// For a client that sends much at once; without it, limited requests wait and are sent again.
  public var rateLimiter: RateLimiter?

  /// - Parameter homeserver: The server's address, as ``homeserver(of:transport:)`` finds it.
  public init(
    homeserver: String, transport: any Transport = .shared,
    store: any TokenStore = MemoryTokenStore()
  ) {
    baseURL = homeserver + "/_matrix"
    self.transport = transport
    let grant = JSONRefreshGrant(
      baseURL: baseURL, endpoint: "client/v3/refresh", names: .matrix,
      // A refresh token that was used before is M_FORBIDDEN.
      finalRefusals: .errorCode(["M_UNKNOWN_TOKEN", "M_FORBIDDEN"], in: "errcode"),
      transport: transport)
    session = TokenSession(
      grant: grant, store: store,
      // Any other 401 is a question of user-interactive auth.
      options: TokenSessionOptions(refusals: .errorCode(["M_UNKNOWN_TOKEN"], in: "errcode")))
  }

  /// Finds the homeserver of a name, such as `example.org`, by `.well-known/matrix/client`.
  public static func homeserver(
    of name: String, transport: any Transport = .shared
  ) -> MatrixPublisher<String> {
    struct Site: RESTAPI { let baseURL: String, transport: any Transport }
    let site = Site(baseURL: name.contains("://") ? name : "https://\(name)", transport: transport)
    return site.get(endpoint: ".well-known/matrix/client")
      .tryMap { response in
        guard response.statusCode != 404 else { return site.baseURL }
        let server = try response.decoded(as: JSONValue.self)["m.homeserver"]
        guard let url = server?["base_url"]?.string else { throw URLError(.badServerResponse) }
        return url.hasSuffix("/") ? String(url.dropLast()) : url
      }
      .mapError(MatrixFailure.init).eraseToAnyPublisher()
  }

  func call<Answer: Decodable & Sendable, Output: Sendable>(
    _ method: HTTPMethod, _ path: ResourcePath, _ body: JSONValue? = nil,
    reading read: @escaping @Sendable (Answer) -> Output
  ) -> MatrixPublisher<Output> {
    let call = Call<Answer>(method: method, path: path, body: body.map { .json($0) })
    return publisher(for: call).map(read).eraseToAnyPublisher()
  }

  func call(
    _ method: HTTPMethod, _ path: ResourcePath, _ body: JSONValue = [:]
  ) -> MatrixPublisher<Void> {
    call(method, path, body) { (_: JSONValue) in }
  }

  /// The device of the signed-in user; nil if nobody is signed in.
  public var device: String? { session.extras["device_id"]?.string }

  /// The user's id, as the server knows it.
  public var userID: MatrixPublisher<String> {
    call(.get, "client/v3/account/whoami") { (user: WhoAmI) in user.userId }
  }

  /// Signs in with a password; after a soft sign-out as the device of before.
  public func signIn(
    as user: String, password: String, device: String? = nil
  ) -> MatrixPublisher<Void> {
    var body = passwordProof(user, password)
    body["refresh_token"] = true
    body["device_id"] = device.map { .string($0) }
    let login = Call<TokenResponse>(
      method: .post, path: "client/v3/login", body: .json(body), authorization: .none)
    return session.signIn(with: JSONSignInGrant(login, of: self, names: .matrix))
      .mapError(MatrixFailure.init).eraseToAnyPublisher()
  }

  /// Forgets the user at once, and ends the tokens of the device at the server.
  public func signOut() -> MatrixPublisher<Void> {
    let logout = ClosureRevocation { credential in
      post(endpoint: "client/v3/logout", body: .json([:])) {
        $0.addingBearerAuthorization(token: credential.accessToken)
      }
    }
    return session.signOut(revokingWith: logout).mapError(MatrixFailure.init).eraseToAnyPublisher()
  }

  /// Deletes a device of the user; the password answers the server's question.
  public func deleteDevice(_ device: String, password: String) -> MatrixPublisher<Void> {
    let path: ResourcePath = "client/v3/devices/\(device)"
    return call(.delete, path)
      .tryCatch { failure throws(MatrixFailure) in
        guard case .refused(let question, _) = failure, let key = question.session,
          let user = session.account,
          question.flows?.contains(["stages": ["m.login.password"]]) == true
        else { throw failure }
        var proof = passwordProof(user, password)
        proof["session"] = .string(key)
        return call(.delete, path, ["auth": .object(proof)])
      }
      .eraseToAnyPublisher()
  }

  private func passwordProof(_ user: String, _ password: String) -> [String: JSONValue] {
    [
      "type": "m.login.password", "password": .string(password),
      "identifier": ["type": "m.id.user", "user": .string(user)],
    ]
  }
}
