import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension HTTPEngine {
  /// The whole response to a request; each subscription is one call.
  func response(for request: URLRequest) -> AnyPublisher<RESTResponse, any Error> {
    EngineResponses(engine: self, request: request).eraseToAnyPublisher()
  }

  /// The response in pieces; each subscription is one call.
  func events(
    for request: URLRequest, body: RequestBody?
  ) -> AnyPublisher<TransferEvent, any Error> {
    guard let body, body.mayComeInChunks, !sendsBodiesAsTheyCome else {
      return EngineEvents(engine: self, request: request, body: body).eraseToAnyPublisher()
    }
    return Deferred { Result { () throws(TransportError) in try body.begin() }.publisher }
      .mapError { RESTError($0, request: RequestSummary(request)) as any Error }
      .flatMap { source in
        guard case .chunks(let chunks, let length) = source else {
          return Just(RequestBody(source)).setFailureType(to: (any Error).self)
            .eraseToAnyPublisher()
        }
        return SpooledBody.publisher(of: chunks, length: length).map { .spool($0) }
          .eraseToAnyPublisher()
      }
      .flatMap { EngineEvents(engine: self, request: request, body: $0) }
      .eraseToAnyPublisher()
  }
}

/// One call of an engine for each subscription, its response whole.
struct EngineResponses: Publisher {
  typealias Output = RESTResponse
  typealias Failure = any Error

  let engine: any HTTPEngine
  let request: URLRequest

  func receive(subscriber: some Subscriber<RESTResponse, any Error>) {
    let subscription = ResponseSubscription(
      engine: engine, request: request, downstream: AnySubscriber(subscriber))
    subscriber.receive(subscription: subscription)
    subscription.start()
  }
}

/// One call of an engine for each subscription, in pieces.
struct EngineEvents: Publisher {
  typealias Output = TransferEvent
  typealias Failure = any Error

  let engine: any HTTPEngine
  let request: URLRequest
  let body: RequestBody?

  func receive(subscriber: some Subscriber<TransferEvent, any Error>) {
    let subscription = TransferSubscription(
      engine: engine, request: request, body: body, downstream: subscriber)
    subscriber.receive(subscription: subscription)
    subscription.start()
  }
}
