import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

// The verbs for transfers, for an endpoint or for a path with values.
extension RESTAPI {
  /// Sends the request of an endpoint and delivers the response as it arrives, of any size.
  ///
  /// The publisher is that of
  /// ``events(_:endpoint:query:headers:body:authorization:requestModifier:)``. It fails with
  /// ``RESTError`` of kind `invalidEndpoint` if a value does not fit the path.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint. Its ``Endpoint/retry`` does not apply, because the publisher has
  ///     its own `retry`.
  ///   - requestModifier: A closure that changes the request before each attempt.
  public func events(
    _ endpoint: some Endpoint, requestModifier: @escaping RequestModifier = { $0 }
  ) -> AnyPublisher<TransferEvent, any Error> {
    RequestSender(for: self).events(
      of: RequestDraft(endpoint, of: RequestBase(self), requestModifier: requestModifier),
      hasBody: endpoint.body != nil)
  }

  /// Gets a resource as it arrives, by a path with values.
  ///
  /// - Parameters:
  ///   - path: The path below the base URL.
  ///   - requestModifier: A closure that changes the request before each attempt.
  public func events(
    _ path: ResourcePath, requestModifier: @escaping RequestModifier = { $0 }
  ) -> AnyPublisher<TransferEvent, any Error> {
    events(PathEndpoint(path: path), requestModifier: requestModifier)
  }

  /// Sends the body of an endpoint, which need not be in memory, reports the progress, and collects
  /// the response.
  ///
  /// ```swift
  /// api.upload(PutPhoto(id: 7, file: photo))
  ///   .handleProgress { print($0) }
  ///   .decode(type: Photo.self)
  /// ```
  ///
  /// The publisher is that of
  /// ``upload(_:endpoint:query:headers:body:authorization:requestModifier:)``.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint. Without an ``Endpoint/body``, an empty one is sent.
  ///   - requestModifier: A closure that changes the request before each attempt.
  public func upload(
    _ endpoint: some Endpoint, requestModifier: @escaping RequestModifier = { $0 }
  ) -> AnyPublisher<UploadEvent, any Error> {
    RequestSender(for: self).upload(
      RequestDraft(endpoint, of: RequestBase(self), requestModifier: requestModifier),
      retry: endpoint.retry)
  }

  /// Sends a body that need not be in memory, by a path with values.
  ///
  /// ```swift
  /// api.upload("photos/\(name)", from: .file(photo))
  /// ```
  ///
  /// - Parameters:
  ///   - path: The path below the base URL.
  ///   - body: The body.
  ///   - method: The method.
  ///   - requestModifier: A closure that changes the request before each attempt.
  public func upload(
    _ path: ResourcePath, from body: RequestBody, method: HTTPMethod = .post,
    requestModifier: @escaping RequestModifier = { $0 }
  ) -> AnyPublisher<UploadEvent, any Error> {
    upload(PathEndpoint(path: path, method: method, body: body), requestModifier: requestModifier)
  }

  /// Downloads the resource of an endpoint into a file, and reports the progress.
  ///
  /// The publisher is that of
  /// ``download(endpoint:query:headers:to:authorization:requestModifier:)``.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint, as a rule a GET: servers resume no other request (RFC 9110
  ///     §14.2). One with a body that is a file or comes in chunks fails with ``RESTError`` of kind
  ///     `invalidRequest`.
  ///   - file: The file. Its folder must exist.
  ///   - requestModifier: A closure that changes the request before each attempt.
  public func download(
    _ endpoint: some Endpoint, to file: URL, requestModifier: @escaping RequestModifier = { $0 }
  ) -> AnyPublisher<DownloadEvent, any Error> {
    RequestSender(for: self).download(
      RequestDraft(endpoint, of: RequestBase(self), requestModifier: requestModifier), to: file,
      retry: endpoint.retry)
  }

  /// Downloads a resource into a file, by a path with values.
  ///
  /// ```swift
  /// api.download("users/\(owner)/files/\(name)", to: file)
  /// ```
  ///
  /// - Parameters:
  ///   - path: The path below the base URL.
  ///   - file: The file. Its folder must exist.
  ///   - requestModifier: A closure that changes the request before each attempt.
  public func download(
    _ path: ResourcePath, to file: URL, requestModifier: @escaping RequestModifier = { $0 }
  ) -> AnyPublisher<DownloadEvent, any Error> {
    download(PathEndpoint(path: path), to: file, requestModifier: requestModifier)
  }
}
