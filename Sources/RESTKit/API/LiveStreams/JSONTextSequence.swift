import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The answer of an endpoint as JSON texts in `application/json-seq` (RFC 7464).
///
/// It behaves as ``JSONLines`` does.
public enum JSONTextSequence<Item: Decodable & Sendable>: StreamedAnswer {
  public static func elements<Asked: Endpoint>(
    of endpoint: Asked, from api: some RESTAPI, requestModifier: @escaping RequestModifier
  ) -> AnyPublisher<Item, any Error> where Asked.Response == JSONTextSequence<Item> {
    RequestSender(for: api).pieces(of: endpoint, from: api.baseURL, modifier: requestModifier)
      .decodeLines(of: Item.self, decoder: endpoint.decoder, format: .textSequence)
  }
}
