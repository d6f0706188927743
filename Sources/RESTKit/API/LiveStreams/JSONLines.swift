import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The answer of an endpoint as JSON texts, one on each line (NDJSON, JSON Lines).
///
/// The stream does not reconnect. The endpoint's ``Endpoint/decoder`` decodes the texts. A text that
/// cannot be decoded fails the stream, as in `decodeLines`. A status other than 200...299 fails it, and
/// the error has the body.
public enum JSONLines<Item: Decodable & Sendable>: StreamedAnswer {
  public static func elements<Asked: Endpoint>(
    of endpoint: Asked, from api: some RESTAPI, requestModifier: @escaping RequestModifier
  ) -> AnyPublisher<Item, any Error> where Asked.Response == JSONLines<Item> {
    RequestSender(for: api).pieces(of: endpoint, from: api.baseURL, modifier: requestModifier)
      .decodeLines(of: Item.self, decoder: endpoint.decoder)
  }
}

extension RequestSender {
  /// Returns a publisher of an endpoint's response in pieces.
  func pieces(
    of endpoint: some Endpoint, from baseURL: String, modifier: @escaping RequestModifier
  ) -> AnyPublisher<TransferEvent, any Error> {
    events(
      of: RequestDraft(endpoint, baseURL: baseURL, requestModifier: modifier),
      hasBody: endpoint.body != nil)
  }
}
