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
  /// a ``TokenSession`` that authorizes this is not, and the session answers it. A body that ends
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
  ///   - body: What to send, read as it goes; nil for none.
  ///   - requestModifier: Changes the request before it is sent, for each attempt.
  public func events(
    _ method: HTTPMethod = .get, endpoint: String, query: [URLQueryItem] = [],
    body: RequestBody? = nil, requestModifier: @escaping RequestModifier = { $0 }
  ) -> AnyPublisher<TransferEvent, any Error> {
    RequestSender(for: self).exchange(
      method, endpoint: endpoint, query: query, requestModifier: requestModifier
    ) { follower, request in
      let events = follower.events(for: request, body: body)
      return DeferredInContext { context in
        guard let credential = context[CredentialKey.self], let call = follower.call else {
          return events
        }
        let answer = ResponseCollector(
          request: RequestSummary(request), limits: follower.transport.limits,
          journal: call.journal)
        return events.failing(with: answer) { head in
          credential.isRefused(
            by: RESTResponse(head: head, data: Data(), request: answer.request), in: call)
        }
      }
      .eraseToAnyPublisher()
    }
  }

  /// Sends a body that does not have to be in memory, telling how far it is, and collects the
  /// response.
  ///
  /// Any status is a value. What holds for the time and the threads is said at
  /// ``events(_:endpoint:query:body:requestModifier:)``; the response keeps to the transport's
  /// ``Transport/limits``.
  ///
  /// - Parameters:
  ///   - method: The method.
  ///   - endpoint: The path below the base URL. A leading `/` is the same as none.
  ///   - query: Names and values, not encoded.
  ///   - body: What to send.
  ///   - requestModifier: Changes the request before it is sent, for each attempt.
  public func upload(
    _ method: HTTPMethod = .post, endpoint: String, query: [URLQueryItem] = [], body: RequestBody,
    requestModifier: @escaping RequestModifier = { $0 }
  ) -> AnyPublisher<UploadEvent, any Error> {
    let events = RequestSender(for: self).exchange(
      method, endpoint: endpoint, query: query, requestModifier: requestModifier
    ) { follower, request in follower.uploadEvents(for: request, body: body) }
    return retry.map { events.retry($0) } ?? events
  }

  /// Sends a form with texts, bytes and files as `multipart/form-data`, telling how far it is, and
  /// collects the response.
  ///
  /// All else is as at ``upload(_:endpoint:query:body:requestModifier:)``, and it fails as
  /// ``MultipartForm`` says where the form cannot be sent.
  ///
  /// - Parameters:
  ///   - method: The method.
  ///   - endpoint: The path below the base URL. A leading `/` is the same as none.
  ///   - query: Names and values, not encoded.
  ///   - multipart: The form; a list of its parts will do.
  ///   - requestModifier: Changes the request before it is sent, for each attempt; it sees the
  ///     `Content-Type`, whose boundary has to stay.
  public func upload(
    _ method: HTTPMethod = .post, endpoint: String, query: [URLQueryItem] = [],
    multipart: MultipartForm, requestModifier: @escaping RequestModifier = { $0 }
  ) -> AnyPublisher<UploadEvent, any Error> {
    let events = RequestSender(for: self).exchange(
      method, endpoint: endpoint, query: query,
      requestModifier: { requestModifier($0.header("Content-Type", multipart.contentType)) }
    ) { follower, request in
      let body = try multipart.body(for: RequestSummary(request))
      return follower.uploadEvents(for: request, body: body)
    }
    return retry.map { events.retry($0) } ?? events
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
  /// It is written on the transport's thread. Only 200 and 206 are a file; another status fails with
  /// ``RESTError`` of kind `status`, with the body in the error. What cannot be written, or is
  /// written by another download already, fails with one of kind `file`.
  ///
  /// What holds for the time is said at ``events(_:endpoint:query:body:requestModifier:)``.
  ///
  /// - Parameters:
  ///   - endpoint: The path below the base URL. A leading `/` is the same as none.
  ///   - query: Names and values, not encoded.
  ///   - file: Where the file will be. Its folder has to exist.
  ///   - requestModifier: Changes the request before it is sent, for each attempt; `Range` and
  ///     `If-Range` are set or left out after it.
  public func download(
    endpoint: String, query: [URLQueryItem] = [], to file: URL,
    requestModifier: @escaping RequestModifier = { $0 }
  ) -> AnyPublisher<DownloadEvent, any Error> {
    let events = RequestSender(for: self).exchange(
      .get, endpoint: endpoint, query: query, requestModifier: requestModifier
    ) { follower, request in
      Download(
        follower: follower, request: request,
        part: try PartialFile.open(for: file, location: RequestSummary(request).location)
      ).events
    }
    return retry.map { events.retry($0) } ?? events
  }
}
