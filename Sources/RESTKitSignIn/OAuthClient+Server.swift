import RESTKit

extension OAuthClient {
  /// Creates a client of a server whose endpoints are known.
  ///
  /// ```swift
  /// let server = try await AuthorizationServer.discover(issuer: "https://id.example.com").value
  /// let client = OAuthClient(server: server, id: "shop-app", authentication: .none)
  /// ```
  ///
  /// - Parameters:
  ///   - server: The server at which the client is registered.
  ///   - id: The identifier that the server gave the client.
  ///   - authentication: The method by which the client authenticates.
  ///   - extras: The members of a token response that the credential keeps as
  ///     `Credential.extras`, such as the id of a tenant.
  ///   - transport: The transport that sends the requests.
  public init(
    server: AuthorizationServer, id: String, authentication: ClientAuthentication,
    extras: [String] = [], transport: any Transport = .shared
  ) {
    self.init(
      tokenEndpoint: server.tokenEndpoint, issuer: server.issuer, serverMetadata: server, id: id,
      authentication: authentication, extras: extras, transport: transport)
  }

  /// The server's metadata, or nil if only the token endpoint is known.
  var server: AuthorizationServer? { serverMetadata as? AuthorizationServer }

  /// The secrets of the client, which no text may repeat.
  var secrets: [String] { authentication.secrets }

  /// Returns the client with a method of authentication that an endpoint accepts.
  ///
  /// - Parameters:
  ///   - methods: The methods that the endpoint accepts, or nil if they are not known.
  ///   - name: The name of these methods in the server's metadata.
  /// - Throws: `SignInError` if the endpoint accepts no method of the client.
  func authenticating(
    byOneOf methods: [String]?, named name: String
  ) throws(SignInError) -> OAuthClient {
    guard let fitting = authentication.among(methods) else {
      throw .notSupported("\(authentication.methodName ?? "none") in \(name)")
    }
    var client = self
    client.authentication = fitting
    return client
  }
}

extension ClientAuthentication {
  /// The secrets that every request of the client contains.
  var secrets: [String] {
    switch self {
    case .basic(let secret), .form(let secret): [secret]
    // Each request gets a new assertion, which cannot be used in another one.
    case .assertion, .none: []
    }
  }

  /// The name of the method in a server's metadata (RFC 8414 §2); nil for no authentication.
  var methodName: String? {
    switch self {
    case .basic: "client_secret_basic"
    case .form: "client_secret_post"
    case .assertion: "private_key_jwt"
    case .none: nil
    }
  }

  /// Returns the authentication at an endpoint: this one, or another one with the same secret.
  ///
  /// - Parameter methods: The methods that the endpoint accepts, or nil if they are not known.
  /// - Returns: The authentication, or nil if the endpoint accepts none.
  func among(_ methods: [String]?) -> ClientAuthentication? {
    // Without authentication, the client only sends its identifier, which servers do not list as a
    // method.
    guard let methods, let methodName, !methods.contains(methodName) else { return self }
    switch self {
    case .basic(let secret) where methods.contains("client_secret_post"):
      return .form(secret: secret)
    case .form(let secret) where methods.contains("client_secret_basic"):
      return .basic(secret: secret)
    // Only the closure of an assertion knows whether it signs with a key or with a secret.
    case .assertion where methods.contains("client_secret_jwt"): return self
    default: return nil
    }
  }
}
