import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

// For a URL that the server gives: an image of a payload, a presigned upload, a link. It is sent as
// it is, and everything else is as for an endpoint. What is secret stays at the API's own origin.
extension RESTAPI {
  /// Gets a resource by its whole URL.
  ///
  /// ```swift
  /// api.get(url: user.avatar)
  /// ```
  ///
  /// The parameters are those of ``request(_:url:headers:body:authorization:requestModifier:)``.
  public func get(
    url: URL, headers: HTTPHeaders = [:], authorization: RequestAuthorization = .session,
    requestModifier: @escaping RequestModifier = { $0 }
  ) -> AnyPublisher<RESTResponse, any Error> {
    request(
      .get, url: url, headers: headers, authorization: authorization,
      requestModifier: requestModifier)
  }

  /// Replaces a resource by its whole URL, such as that of a presigned upload.
  ///
  /// The parameters are those of ``request(_:url:headers:body:authorization:requestModifier:)``.
  public func put(
    url: URL, headers: HTTPHeaders = [:], body: RequestBody? = nil,
    authorization: RequestAuthorization = .session,
    requestModifier: @escaping RequestModifier = { $0 }
  ) -> AnyPublisher<RESTResponse, any Error> {
    request(
      .put, url: url, headers: headers, body: body, authorization: authorization,
      requestModifier: requestModifier)
  }

  /// Sends a request to a whole URL.
  ///
  /// The URL is sent as it is, with its query and its escapes. Redirects, retries, the cache and
  /// the other settings of the API apply. If the URL has another origin than the API's
  /// ``baseURL``, the request has neither the session's token nor the fields of ``headers`` whose
  /// names are secrets.
  ///
  /// The publisher is that of
  /// ``request(_:endpoint:query:headers:body:authorization:requestModifier:)``. It fails with
  /// ``RESTError`` of kind `invalidRequest` if the URL is not an absolute http or https URL.
  ///
  /// - Parameters:
  ///   - method: The method.
  ///   - url: The URL.
  ///   - headers: The header fields of the request, for each attempt. They are sent to any origin.
  ///   - body: The body; nil for none.
  ///   - authorization: Whether a request to the API's origin carries the token of the API's
  ///     ``RESTAPI/session``.
  ///   - requestModifier: A closure that changes the request before each attempt. It sees the body
  ///     and its `Content-Type`.
  public func request(
    _ method: HTTPMethod, url: URL, headers: HTTPHeaders = [:], body: RequestBody? = nil,
    authorization: RequestAuthorization = .session,
    requestModifier: @escaping RequestModifier = { $0 }
  ) -> AnyPublisher<RESTResponse, any Error> {
    RequestSender(for: self).response(
      to: draft(method, url, headers, body, authorization, requestModifier))
  }

  /// Sends a request to a whole URL and delivers the response as it arrives, of any size.
  ///
  /// ```swift
  /// api.events(url: user.avatar).handleProgress { print($0) }
  /// ```
  ///
  /// The publisher is that of
  /// ``events(_:endpoint:query:headers:body:authorization:requestModifier:)``. The parameters are
  /// those of ``request(_:url:headers:body:authorization:requestModifier:)``.
  public func events(
    _ method: HTTPMethod = .get, url: URL, headers: HTTPHeaders = [:], body: RequestBody? = nil,
    authorization: RequestAuthorization = .session,
    requestModifier: @escaping RequestModifier = { $0 }
  ) -> AnyPublisher<TransferEvent, any Error> {
    RequestSender(for: self).events(
      of: draft(method, url, headers, body, authorization, requestModifier), hasBody: body != nil)
  }

  /// Sends a body that need not be in memory to a whole URL, and reports the progress.
  ///
  /// The publisher is that of
  /// ``upload(_:endpoint:query:headers:body:authorization:requestModifier:)``. The parameters are
  /// those of ``request(_:url:headers:body:authorization:requestModifier:)``.
  public func upload(
    _ method: HTTPMethod = .put, url: URL, headers: HTTPHeaders = [:], body: RequestBody,
    authorization: RequestAuthorization = .session,
    requestModifier: @escaping RequestModifier = { $0 }
  ) -> AnyPublisher<UploadEvent, any Error> {
    RequestSender(for: self).upload(
      draft(method, url, headers, body, authorization, requestModifier))
  }

  /// Downloads a resource of any size by its whole URL into a file, and reports the progress.
  ///
  /// The publisher is that of
  /// ``download(endpoint:query:headers:to:authorization:requestModifier:)``. The parameters are
  /// those of ``request(_:url:headers:body:authorization:requestModifier:)``.
  public func download(
    url: URL, headers: HTTPHeaders = [:], to file: URL,
    authorization: RequestAuthorization = .session,
    requestModifier: @escaping RequestModifier = { $0 }
  ) -> AnyPublisher<DownloadEvent, any Error> {
    RequestSender(for: self).download(
      draft(.get, url, headers, nil, authorization, requestModifier), to: file)
  }

  private func draft(
    _ method: HTTPMethod, _ url: URL, _ headers: HTTPHeaders, _ body: RequestBody?,
    _ authorization: RequestAuthorization, _ modifier: @escaping RequestModifier
  ) -> RequestDraft {
    RequestDraft(
      method, of: RequestBase(self), url: url, headers: headers,
      body: body, authorization: authorization, requestModifier: modifier)
  }
}
