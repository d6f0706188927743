import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension RESTAPI {
  /// Sends a request and delivers the response as it arrives, of any size: its head, then its body
  /// in chunks, as demand allows.
  ///
  /// Redirects are followed as for the other verbs. A response of any status is a value, except for
  /// one that refuses the token of a session: the session handles it. A body that ends early is a
  /// failure after the chunks that arrived.
  ///
  /// The request's `timeoutInterval`, in seconds, limits how long the server may be silent. The
  /// exchange as a whole has no time limit. Values arrive on the transport's thread, or on the
  /// thread that adds demand. Without demand, the transport stops reading. A task that iterates
  /// over `values` receives at most 128 KiB and a chunk ahead, for any number of requested values,
  /// if the transport can stop reading: ``URLSessionTransport`` cannot.
  ///
  /// The body is read while it is sent. The parameters are otherwise those of
  /// ``request(_:endpoint:query:headers:body:authorization:requestModifier:)``.
  public func events(
    _ method: HTTPMethod = .get, endpoint: String, query: QueryItems = [],
    headers: HTTPHeaders = [:], body: RequestBody? = nil,
    authorization: RequestAuthorization = .session,
    requestModifier: @escaping RequestModifier = { $0 }
  ) -> AnyPublisher<TransferEvent, any Error> {
    RequestSender(for: self).events(
      of: RequestDraft(
        method, of: RequestBase(self), endpoint: endpoint, query: query, headers: headers,
        body: body,
        authorization: authorization, requestModifier: requestModifier),
      hasBody: body != nil)
  }

  /// Sends a body that need not be in memory, reports the progress, and collects the response.
  ///
  /// A response of any status is a value. Time limits and threads are those of
  /// ``events(_:endpoint:query:headers:body:authorization:requestModifier:)``. The transport's
  /// ``Transport/limits`` apply to the response.
  ///
  /// The body is read while it is sent. The parameters are otherwise those of
  /// ``request(_:endpoint:query:headers:body:authorization:requestModifier:)``.
  public func upload(
    _ method: HTTPMethod = .post, endpoint: String, query: QueryItems = [],
    headers: HTTPHeaders = [:], body: RequestBody, authorization: RequestAuthorization = .session,
    requestModifier: @escaping RequestModifier = { $0 }
  ) -> AnyPublisher<UploadEvent, any Error> {
    RequestSender(for: self).upload(
      RequestDraft(
        method, of: RequestBase(self), endpoint: endpoint, query: query, headers: headers,
        body: body,
        authorization: authorization, requestModifier: requestModifier))
  }

  /// Downloads a resource of any size into a file, and reports the progress.
  ///
  /// The whole file appears under its name at the end and replaces an existing one, whose
  /// permissions it gets. Until then the bytes are next to it, in `.NAME.part`; for a name of more
  /// than 244 bytes, NAME is a digest of it. If a download fails, is cancelled or ends with its
  /// process, the next one resumes from there, provided that the server sent a strong entity tag
  /// and the resource is unchanged (RFC 9110 §13.1.5). The bytes are those of the resource: the
  /// request accepts no content coding. A part that another user has put there is not used.
  ///
  /// A 206 is appended to the part only if it has the same entity tag, the missing range or its
  /// beginning, the total that was given first, no content coding, and as many bytes as it says.
  /// After a beginning, the rest is requested in the same call. If no byte is missing, the download
  /// asks whether the file is unchanged, and a 304 confirms it. Otherwise, and after a 200 or a
  /// 416, the part is discarded and the file begins again in the same call, as its log shows. If
  /// the server then sends a part again, the call fails with ``RESTError`` of kind
  /// `malformedResponse`.
  ///
  /// A part belongs to scheme, host, port and path, but not to the query, which may be signed anew
  /// each time. If the query identifies the resource, use a different file for each resource.
  ///
  /// The file is written on the transport's thread. Only 200 and 206 are written to the file.
  /// Another status fails with ``RESTError`` of kind `status`, and the error has the body. If
  /// `file` is a folder or cannot be written, or another download writes it already, the call fails
  /// with kind `file`.
  ///
  /// Time limits are those of
  /// ``events(_:endpoint:query:headers:body:authorization:requestModifier:)``.
  ///
  /// The folder of `file` must exist. `Range` and `If-Range` are set or removed after the request
  /// modifier. The parameters are otherwise those of
  /// ``request(_:endpoint:query:headers:body:authorization:requestModifier:)``.
  public func download(
    endpoint: String, query: QueryItems = [], headers: HTTPHeaders = [:], to file: URL,
    authorization: RequestAuthorization = .session,
    requestModifier: @escaping RequestModifier = { $0 }
  ) -> AnyPublisher<DownloadEvent, any Error> {
    RequestSender(for: self).download(
      RequestDraft(
        .get, of: RequestBase(self), endpoint: endpoint, query: query, headers: headers, body: nil,
        authorization: authorization, requestModifier: requestModifier),
      to: file)
  }
}
