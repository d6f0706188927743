import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// An endpoint's answer of server-sent events, each a ``ServerSentEvent``.
///
/// It is asked for again as a plain ``ReconnectPolicy`` says, or as the one that is given to
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
  /// The events of an endpoint, connection after connection.
  ///
  /// What holds for them is said at
  /// ``serverSentEvents(_:endpoint:query:body:lastEventID:reconnecting:limit:authorization:requestModifier:)``.
  ///
  /// - Parameters:
  ///   - endpoint: What to ask for.
  ///   - policy: When the stream is asked for again, and how long it may be silent.
  ///   - lastEventID: The id of the last event that is known already; empty for none.
  ///   - limit: The most bytes of a line, and of an event's data.
  ///   - requestModifier: Changes each request before it is sent.
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
