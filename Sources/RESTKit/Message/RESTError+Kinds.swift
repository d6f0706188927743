extension RESTError.Kind {
  /// Status 401: the server does not accept the credential.
  public static let unauthorized = Self.status(401)
  /// Status 403: the credential does not permit the request.
  public static let forbidden = Self.status(403)
  /// Status 404: the resource does not exist.
  public static let notFound = Self.status(404)
  /// Status 409: the request conflicts with the resource's state.
  public static let conflict = Self.status(409)
  /// Status 429: the client sent too many requests.
  public static let tooManyRequests = Self.status(429)
  /// The response did not come in time.
  public static let timedOut = Self.transport(.timedOut)
}

extension RESTError {
  /// Whether the response's status is 401.
  public var isUnauthorized: Bool { kind == .unauthorized }

  /// Whether the response's status is 403.
  public var isForbidden: Bool { kind == .forbidden }

  /// Whether the response's status is 404.
  public var isNotFound: Bool { kind == .notFound }

  /// Whether the response's status is one of 400...499, so that the request has to change.
  public var isClientError: Bool { isStatus(in: 400...499) }

  /// Whether the response's status is one of 500...599: the server failed.
  public var isServerError: Bool { isStatus(in: 500...599) }

  /// Whether the response did not come in time.
  public var isTimeout: Bool { kind == .timedOut }

  private func isStatus(in statuses: ClosedRange<Int>) -> Bool {
    if case .status(let status) = kind { statuses.contains(status) } else { false }
  }
}
