import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The response of an endpoint as JSON texts, one on each line (NDJSON, JSON Lines).
///
/// The stream does not reconnect. The endpoint's ``Endpoint/decoder`` decodes the texts. A text
/// that cannot be decoded fails the stream, as in `decodeLines`. A status other than 200...299
/// fails it, and the error has the body.
///
/// The head of the response must come within 60 s, with redirects and a refresh, measured while
/// there is demand, on the clock of the API's ``RESTAPI/retry``. Then the server may be silent for
/// any time. If a request modifier sets a `timeoutInterval`, this limits each silence of the server
/// instead, also before the head.
///
/// A line has at most 1 MiB. `publisher(for:limit:requestModifier:)` sets another limit.
public enum JSONLines<Item: Decodable & Sendable>: StreamedResponse {
  public static func elements<Asked: Endpoint>(
    of endpoint: Asked, from api: some RESTAPI, requestModifier: @escaping RequestModifier
  ) -> AnyPublisher<Item, any Error> where Asked.Response == JSONLines<Item> {
    api.publisher(for: endpoint, limit: 1 << 20, requestModifier: requestModifier)
  }
}

/// The response of an endpoint as JSON texts in `application/json-seq` (RFC 7464).
///
/// It behaves as ``JSONLines`` does.
public enum JSONTextSequence<Item: Decodable & Sendable>: StreamedResponse {
  public static func elements<Asked: Endpoint>(
    of endpoint: Asked, from api: some RESTAPI, requestModifier: @escaping RequestModifier
  ) -> AnyPublisher<Item, any Error> where Asked.Response == JSONTextSequence<Item> {
    api.publisher(for: endpoint, limit: 1 << 20, requestModifier: requestModifier)
  }
}

extension RESTAPI {
  /// Returns a publisher of the JSON texts of an endpoint's response, with a limit for each line.
  ///
  /// A longer line fails the publisher with ``RESTError`` of kind
  /// ``RESTError/Kind/malformedResponse``, whose ``RESTError/underlyingError`` is a ``LineError``
  /// of kind ``LineError/Kind/tooLong(limit:)``.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint.
  ///   - limit: The maximum length of a line in bytes.
  ///   - requestModifier: A closure that changes each request before it is sent.
  public func publisher<Asked: Endpoint, Item>(
    for endpoint: Asked, limit: Int, requestModifier: @escaping RequestModifier = { $0 }
  ) -> AnyPublisher<Item, any Error> where Asked.Response == JSONLines<Item> {
    pieces(of: endpoint, modifier: requestModifier)
      .decodeLines(of: Item.self, decoder: endpoint.decoder, limit: limit)
  }

  /// Returns a publisher of the JSON texts of an endpoint's response, with a limit for each record.
  ///
  /// A longer record fails the publisher as a longer line of ``JSONLines`` does.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint.
  ///   - limit: The maximum length of a record in bytes.
  ///   - requestModifier: A closure that changes each request before it is sent.
  public func publisher<Asked: Endpoint, Item>(
    for endpoint: Asked, limit: Int, requestModifier: @escaping RequestModifier = { $0 }
  ) -> AnyPublisher<Item, any Error> where Asked.Response == JSONTextSequence<Item> {
    pieces(of: endpoint, modifier: requestModifier)
      .decodeLines(
        of: Item.self, decoder: endpoint.decoder, format: .textSequence, limit: limit)
  }

  /// Returns a publisher of an endpoint's response in pieces, whose body may be silent for any
  /// time.
  private func pieces(
    of endpoint: some Endpoint, modifier: @escaping RequestModifier
  ) -> AnyPublisher<TransferEvent, any Error> {
    let sender = RequestSender(for: self)
    let (retry, time) = (retry, KeptTime())
    let draft = RequestDraft(endpoint, of: RequestBase(self)) { request in
      var request = request
      if endpoint.timeout == nil { request.timeoutInterval = .infinity }
      return modifier(request)
    }
    return DeferredInContext { _ in
      let hasOwnLimit = Lock(false)
      return SilenceLimit(
        events: sender.events(of: draft, hasBody: endpoint.body != nil).options { options in
          options.prepare { request in
            let isFinite = request.timeoutInterval.isFinite
            hasOwnLimit.withLock { $0 = isFinite }
            return nil
          }
        },
        rules: StreamSilence.Rules(
          limit: { phase in
            phase == .stream || hasOwnLimit.withLock { $0 } ? nil : .seconds(60)
          },
          isStream: { 200...299 ~= $0.statusCode },
          failure: { _ in
            RESTError(
              silence: "no response in 60 s; a timeoutInterval of the request modifier allows more",
              request: nil)
          }),
        scheduler: retry.map { $0.scheduler(timedIn: $0.time.inUse) { nil } }
          ?? time.inUse?.scheduler ?? .continuous,
        isOnScheduler: false)
    }
    .eraseToAnyPublisher()
  }
}
