import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension RESTAPI {
  /// Sends a request and delivers the response as it comes, however large it is: its head, then its
  /// body in chunks, never more than were asked for.
  ///
  /// Redirects are followed as for the other verbs. Any status is a value; what refuses the token of
  /// a session that authorizes this is not, and the session answers it. A body that ends
  /// early is a failure after the chunks that came.
  ///
  /// The request's `timeoutInterval`, in seconds, is the time that the server may be silent for; an
  /// exchange may take any time beyond that. Values arrive on the transport's thread, or on the one
  /// that asks for them; while none is asked for, the transport stops to read. A task that iterates over
  /// `values` is given 128 KiB and a chunk ahead, however many values it asks for, where the transport
  /// can stop: ``URLSessionTransport`` cannot.
  ///
  /// - Parameters:
  ///   - method: The method.
  ///   - endpoint: The path below the base URL. A leading `/` is the same as none.
  ///   - query: Names and values, not encoded.
  ///   - headers: Header fields of the request, for each attempt.
  ///   - body: What to send, read as it goes; nil for none.
  ///   - authorization: Whether it carries the token of the API's ``RESTAPI/session``.
  ///   - requestModifier: Changes the request before it is sent, for each attempt; it sees the body and
  ///     its `Content-Type`.
  public func events(
    _ method: HTTPMethod = .get, endpoint: String, query: QueryItems = [],
    headers: HTTPHeaders = [:], body: RequestBody? = nil,
    authorization: RequestAuthorization = .session,
    requestModifier: @escaping RequestModifier = { $0 }
  ) -> AnyPublisher<TransferEvent, any Error> {
    RequestSender(for: self).events(
      of: RequestDraft(
        method, baseURL: baseURL, endpoint: endpoint, query: query, headers: headers, body: body,
        authorization: authorization, requestModifier: requestModifier),
      hasBody: body != nil)
  }

  /// Sends a body that does not have to be in memory, telling how far it is, and collects the
  /// response.
  ///
  /// Any status is a value. What holds for the time and the threads is said at
  /// ``events(_:endpoint:query:headers:body:authorization:requestModifier:)``; the response keeps to the transport's
  /// ``Transport/limits``.
  ///
  /// - Parameters:
  ///   - method: The method.
  ///   - endpoint: The path below the base URL. A leading `/` is the same as none.
  ///   - query: Names and values, not encoded.
  ///   - headers: Header fields of the request, for each attempt.
  ///   - body: What to send, read as it goes.
  ///   - authorization: Whether it carries the token of the API's ``RESTAPI/session``.
  ///   - requestModifier: Changes the request before it is sent, for each attempt; it sees the body and
  ///     its `Content-Type`.
  public func upload(
    _ method: HTTPMethod = .post, endpoint: String, query: QueryItems = [],
    headers: HTTPHeaders = [:], body: RequestBody, authorization: RequestAuthorization = .session,
    requestModifier: @escaping RequestModifier = { $0 }
  ) -> AnyPublisher<UploadEvent, any Error> {
    RequestSender(for: self).upload(
      RequestDraft(
        method, baseURL: baseURL, endpoint: endpoint, query: query, headers: headers, body: body,
        authorization: authorization, requestModifier: requestModifier))
  }

  /// Gets a resource into a file, however large it is, telling how far it is.
  ///
  /// The file appears under its name at the end, whole, in the place of one that was there. Until
  /// then the bytes are beside it, in `.NAME.part`; a download that failed, was cancelled or died
  /// with its process goes on there next time, if the server named a strong entity tag, and if the
  /// resource is still the same (RFC 9110 §13.1.5). The bytes are those of the resource: no content
  /// coding is asked for.
  ///
  /// A 206 is put behind the part only if it has the same entity tag, the range that is missing, the
  /// total that was said first, no content coding, and as many bytes as it says. Otherwise, and with a
  /// 200 or a 416, the part is thrown away and the file begins anew in the same call, which its log
  /// tells. A server that answers with a part then, too, fails it with ``RESTError`` of kind
  /// `malformedResponse`.
  ///
  /// A part belongs to scheme, host, port and path, not to the query, which may be signed anew each time:
  /// where the query names the resource, give each resource a file of its own.
  ///
  /// It is written on the transport's thread. Only 200 and 206 are a file; another status fails with
  /// ``RESTError`` of kind `status`, with the body in the error. What cannot be written, or is
  /// written by another download already, fails with one of kind `file`.
  ///
  /// What holds for the time is said at ``events(_:endpoint:query:headers:body:authorization:requestModifier:)``.
  ///
  /// - Parameters:
  ///   - endpoint: The path below the base URL. A leading `/` is the same as none.
  ///   - query: Names and values, not encoded.
  ///   - headers: Header fields of the request, for each attempt.
  ///   - file: Where the file will be. Its folder has to exist.
  ///   - authorization: Whether it carries the token of the API's ``RESTAPI/session``.
  ///   - requestModifier: Changes the request before it is sent, for each attempt; `Range` and
  ///     `If-Range` are set or left out after it.
  public func download(
    endpoint: String, query: QueryItems = [], headers: HTTPHeaders = [:], to file: URL,
    authorization: RequestAuthorization = .session,
    requestModifier: @escaping RequestModifier = { $0 }
  ) -> AnyPublisher<DownloadEvent, any Error> {
    RequestSender(for: self).download(
      RequestDraft(
        .get, baseURL: baseURL, endpoint: endpoint, query: query, headers: headers, body: nil,
        authorization: authorization, requestModifier: requestModifier),
      to: file)
  }
}
