import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The answer of an endpoint as a stream of server-sent events, each a ``ServerSentEvent``.
///
/// The stream reconnects by a default ``ReconnectPolicy``, or by the policy that is passed to
/// ``RESTAPI/publisher(for:reconnecting:lastEventID:limit:requestModifier:)``.
public enum EventStream: StreamedAnswer {
  public static func elements<Asked: Endpoint>(
    of endpoint: Asked, from api: some RESTAPI, requestModifier: @escaping RequestModifier
  ) -> AnyPublisher<ServerSentEvent, any Error> where Asked.Response == EventStream {
    api.publisher(
      for: endpoint, reconnecting: ReconnectPolicy(), requestModifier: requestModifier)
  }
}

extension RESTAPI {
  /// Returns a publisher of the events of an endpoint, over all its connections.
  ///
  /// Its behavior is described at
  /// ``serverSentEvents(_:endpoint:query:headers:body:lastEventID:reconnecting:limit:authorization:requestModifier:)``.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint.
  ///   - policy: The policy that decides when the stream reconnects, and how long it may be silent.
  ///   - lastEventID: The id of the last known event; empty for none.
  ///   - limit: The maximum size, in bytes, of a line and of an event's data.
  ///   - requestModifier: A closure that changes each request before it is sent.
  public func publisher<Asked: Endpoint>(
    for endpoint: Asked, reconnecting policy: ReconnectPolicy, lastEventID: String = "",
    limit: Int = 1 << 20, requestModifier: @escaping RequestModifier = { $0 }
  ) -> AnyPublisher<ServerSentEvent, any Error> where Asked.Response == EventStream {
    let baseURL = baseURL
    return RequestSender(for: self).serverSentEvents(
      policy, retry: retry, lastEventID: lastEventID, limit: limit, hasBody: endpoint.body != nil
    ) { ask in
      RequestDraft(endpoint, baseURL: baseURL) { requestModifier(ask($0)) }
    }
  }
}
