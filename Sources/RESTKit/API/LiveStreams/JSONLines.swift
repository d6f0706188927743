import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// An endpoint's answer of JSON texts, one on each line: NDJSON, JSON Lines.
///
/// It is asked for once. Its texts are decoded by the endpoint's ``Endpoint/decoder``; one that does not
/// decode fails the stream, as `decodeLines` says. Another status than 200...299 fails it with the body.
public enum JSONLines<Item: Decodable & Sendable>: StreamedAnswer {
  public static func elements<Asked: Endpoint>(
    of endpoint: Asked, from api: some RESTAPI, requestModifier: @escaping RequestModifier
  ) -> AnyPublisher<Item, any Error> where Asked.Response == JSONLines<Item> {
    RequestSender(for: api).pieces(of: endpoint, from: api.baseURL, modifier: requestModifier)
      .decodeLines(of: Item.self, decoder: endpoint.decoder)
  }
}

extension RequestSender {
  /// The answer of an endpoint in pieces.
  func pieces(
    of endpoint: some Endpoint, from baseURL: String, modifier: @escaping RequestModifier
  ) -> AnyPublisher<TransferEvent, any Error> {
    events(
      of: RequestDraft(endpoint, baseURL: baseURL, requestModifier: modifier),
      hasBody: endpoint.body != nil)
  }
}
