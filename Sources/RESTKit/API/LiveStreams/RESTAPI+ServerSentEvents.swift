import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension RESTAPI {
  /// Asks for a stream of server-sent events (HTML, 9.2), and asks for it again whenever it ends or breaks.
  ///
  /// Each connection carries the `Last-Event-ID` of the last event that came, and the token of that moment
  /// where the API has a session, or one authorizes the stream downstream: a 401 has one refresh for each
  /// connection. A sign-out ends no connection that is open, and there is no other one behind it: cancel
  /// the stream. Redirects are followed as for other verbs. The log of a failure shows each connection, and why it was made.
  ///
  /// A method that is not one of ``RetryPolicy/methods``, such as `POST`, is sent once: the end of its answer
  /// finishes the stream, and a break is its failure, unless it has an `Idempotency-Key`.
  ///
  /// - Demand: An event is read when it is asked for. While none is, the transport stops to read, and so the
  ///   server to send.
  /// - Errors: ``RESTError`` of kind ``RESTError/Kind/status(_:)`` for a status other than 200 and 204, of
  ///   kind ``RESTError/Kind/malformedResponse`` for a `Content-Type` other than `text/event-stream` and for
  ///   a line or an event over the limit, of kind ``RESTError/Kind/invalidRequest`` where the last id is longer
  ///   than ``ReconnectPolicy/maxIDBytes``; ``TokenSessionError`` where there is no token to be had. Statuses
  ///   and faults that may pass, those of a refresh too, fail it only once the policy and its budget allow no
  ///   further connection.
  /// - Completion: With a 204, or with the end of an answer that is not asked for again.
  /// - Cancellation: Ends the connection, or the wait for the next, at once.
  /// - Delivery: On the scheduler of the policy's ``ReconnectPolicy/retry``, or where an event is asked for.
  ///
  /// - Parameters:
  ///   - method: The method.
  ///   - endpoint: The path below the base URL. A leading `/` is the same as none.
  ///   - query: Names and values, not encoded.
  ///   - headers: Header fields of each request. They replace `Accept`, but not `Last-Event-ID`.
  ///   - body: What to send; nil for none.
  ///   - lastEventID: The id of the last event that is known already; empty for none.
  ///   - policy: When the stream is asked for again, and how long it may be silent.
  ///   - limit: The most bytes of a line, and of an event's data.
  ///   - authorization: Whether it carries the token of the API's ``RESTAPI/session``.
  ///   - requestModifier: Changes each request before it is sent. It sees `Accept`, `Last-Event-ID` and a
  ///     `timeoutInterval` without a limit.
  public func serverSentEvents(
    _ method: HTTPMethod = .get, endpoint: String, query: QueryItems = [],
    headers: HTTPHeaders = [:], body: RequestBody? = nil, lastEventID: String = "",
    reconnecting policy: ReconnectPolicy = ReconnectPolicy(), limit: Int = 1 << 20,
    authorization: RequestAuthorization = .session,
    requestModifier: @escaping RequestModifier = { $0 }
  ) -> AnyPublisher<ServerSentEvent, any Error> {
    let baseURL = baseURL
    return RequestSender(for: self).serverSentEvents(
      policy, retry: retry, lastEventID: lastEventID, limit: limit, hasBody: body != nil
    ) { ask in
      RequestDraft(
        method, baseURL: baseURL, endpoint: endpoint, query: query, headers: headers, body: body,
        authorization: authorization
      ) { requestModifier(ask($0)) }
    }
  }
}
