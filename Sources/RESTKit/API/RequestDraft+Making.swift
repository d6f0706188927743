import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension RequestDraft {
  /// Creates the draft of a verb.
  init(
    _ method: HTTPMethod, of base: RequestBase, endpoint: String, query: QueryItems,
    headers: HTTPHeaders = [:], body: RequestBody?, authorization: RequestAuthorization,
    requestModifier: @escaping RequestModifier
  ) {
    self.init(authorization: authorization) { target, _ in
      var request = try URLRequest(method, baseURL: base.url, endpoint: endpoint, query: query)
      if let target { request.url = target }
      try base.begin(&request)
      let rest = try body?.put(on: &request, encoder: base.encoder)
      try request.set(headers)
      return Made(
        request: requestModifier(request), body: rest, keepSecrets: base.keepSecrets)
    }
  }

  /// Creates the draft of an endpoint.
  init(
    _ endpoint: some Endpoint, of base: RequestBase, requestModifier: @escaping RequestModifier
  ) {
    self.init(authorization: endpoint.authorization) { target, wantsTemplate in
      var request = try URLRequest(endpoint, baseURL: base.url)
      var isDescribed = true
      if let target {
        isDescribed = target.path == request.url?.path
        request.url = target
      }
      try base.begin(&request)
      request.limitTime(to: endpoint.timeout)
      let rest = try endpoint.body?.put(on: &request, encoder: base.encoder)
      try request.set(endpoint.headers)
      return Made(
        request: requestModifier(request), body: rest,
        urlTemplate: wantsTemplate && isDescribed
          ? endpoint.path.template(below: base.url) : nil,
        keepSecrets: base.keepSecrets)
    }
  }

  /// Creates the draft of a verb for a URL that is not made of the API's own.
  ///
  /// - Parameter url: The URL, which is sent as it is.
  init(
    _ method: HTTPMethod, of base: RequestBase, url: URL, headers: HTTPHeaders, body: RequestBody?,
    authorization: RequestAuthorization,
    requestModifier: @escaping RequestModifier
  ) {
    let isOwn = base.isOrigin(of: url)
    let base = isOwn ? base : base.withoutSecrets()
    self.init(authorization: isOwn ? authorization : .none) { target, _ in
      var request = URLRequest(url: target ?? url)
      try request.set(method)
      try request.checkURL()
      try base.begin(&request)
      let rest = try body?.put(on: &request, encoder: base.encoder)
      try request.set(headers)
      return Made(
        request: requestModifier(request), body: rest, keepSecrets: base.keepSecrets)
    }
  }
}

extension URLRequest {
  /// - Throws: `RESTError` about the base URL, the endpoint, the query or the method.
  init(
    _ method: HTTPMethod, baseURL: String, endpoint: String, query: QueryItems
  ) throws(RESTError) {
    do throws(URLJoinError) {
      self.init(url: try BaseURL(baseURL).url(endpoint: endpoint, query: query))
    } catch {
      throw RESTError(error, method: method)
    }
    try set(method)
  }

  /// Makes the request of an endpoint without its body.
  ///
  /// - Throws: `RESTError` about the base URL, the path, the query or the method.
  init(_ endpoint: some Endpoint, baseURL: String) throws(RESTError) {
    do throws(URLJoinError) {
      let url = try BaseURL(baseURL).url(
        path: try endpoint.path.checked.get(), query: endpoint.query)
      self.init(url: url)
    } catch {
      throw RESTError(error, method: endpoint.method)
    }
    try set(endpoint.method)
  }

  /// Replaces the fields that have one of the names.
  ///
  /// - Throws: `RESTError` about a field that has one value and is given twice.
  mutating func set(_ headers: HTTPHeaders) throws(RESTError) {
    do throws(TransportError) {
      try replaceHeaders(with: headers)
    } catch {
      throw RESTError(
        .invalidRequest, reason: error.reason, remedy: error.remedy,
        request: RequestSummary(self), attempts: 0, underlyingError: error)
    }
  }

  /// - Throws: `RESTError` of kind `invalidRequest` if no transport could send a request to it.
  fileprivate func checkURL() throws(RESTError) {
    do throws(TransportError) {
      try RequestValidation.check(url: url?.absoluteString ?? "")
    } catch {
      throw RESTError(error, request: RequestSummary(self))
    }
  }

  /// Sets the method of a new request.
  ///
  /// - Throws: `RESTError` if Foundation would send another method: it writes `get`, `post` and
  ///   others in capitals, and methods are case-sensitive (RFC 9110 §9.1).
  fileprivate mutating func set(_ method: HTTPMethod) throws(RESTError) {
    // Setting the method that is already there costs as much as making the request.
    guard method != .get else { return }
    httpMethod = method.rawValue
    guard let other = httpMethod, other != method.rawValue else { return }
    throw RESTError(
      .invalidRequest,
      reason: "\(method) was not sent: URLRequest changes it to \(HTTPMethod(other))",
      remedy: "Methods are case-sensitive: write \(HTTPMethod(other)) if you mean that method.",
      request: RequestSummary(method: method, url: url), attempts: 0)
  }
}
