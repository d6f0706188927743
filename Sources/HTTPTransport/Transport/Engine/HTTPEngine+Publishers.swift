import Foundation
import HTTPWire
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension HTTPEngine {
  /// Returns a publisher of the whole response to a request.
  ///
  /// Each subscription is one call.
  func response(for request: URLRequest) -> AnyPublisher<RESTResponse, any Error> {
    EngineResponses(engine: self, request: request).eraseToAnyPublisher()
  }

  /// Returns a publisher of the response in pieces.
  ///
  /// Each subscription is one call.
  func events(
    for request: URLRequest, body: RequestBody?
  ) -> AnyPublisher<TransferEvent, any Error> {
    guard let body, body.mayComeInChunks, !sendsBodiesAsTheyCome else {
      return EngineEvents(engine: self, request: request, body: body).eraseToAnyPublisher()
    }
    let limited = body.failingInSilence(of: request.timeLimit)
    return Deferred { Result { () throws(TransportError) in try limited.begin() }.publisher }
      .mapError { RESTError($0, request: RequestSummary(request)) as any Error }
      .flatMap { source in
        guard case .chunks(let chunks, let length) = source else {
          return Just(RequestBody(source)).setFailureType(to: (any Error).self)
            .eraseToAnyPublisher()
        }
        return SpooledBody.publisher(of: chunks, length: length).map { .spool($0) }
          .mapError { RESTError.failure($0, of: request) }
          .eraseToAnyPublisher()
      }
      .flatMap { EngineEvents(engine: self, request: request, body: $0) }
      .eraseToAnyPublisher()
  }
}

extension RESTError {
  /// Returns the failure of a request for the failure of its body, which is the caller's own error,
  /// or a fault, such as a wrong length.
  static func failure(_ error: any Error, of request: URLRequest) -> any Error {
    (error as? TransportError).map { RESTError($0, request: RequestSummary(request)) } ?? error
  }
}

/// A publisher of an engine's whole response, with one call for each subscription.
struct EngineResponses: Publisher {
  typealias Output = RESTResponse
  typealias Failure = any Error

  let engine: any HTTPEngine
  let request: URLRequest

  func receive(subscriber: some Subscriber<RESTResponse, any Error>) {
    let subscription = ResponseSubscription(AnySubscriber(subscriber))
    subscriber.receive(subscription: subscription)
    if subscription.start() { begin(subscription, in: subscriber.context) }
  }

  private func begin(_ subscription: ResponseSubscription, in context: SubscriptionContext) {
    let summary = RequestSummary(request)
    do throws(TransportError) {
      let url = try request.target()
      var engineRequest = try EngineRequest(request, url: url)
      engineRequest.isUrgent = context[UrgentExchange.self]
      if let look = context[LastLook.Key.self] { engineRequest.lastLook = (look, request) }
      let call = engine.start(engineRequest) { [engine] result in
        // The call keeps its engine running.
        withExtendedLifetime(engine) {}
        subscription.resolve(
          result
            .mapError { RESTError($0, request: summary) as any Error }
            .flatMap { response in
              guard let fault = response.fault else {
                return .success(RESTResponse(response, url: url, request: summary))
              }
              let head = ResponseHead(response.head, url: url)
              return .failure(
                RESTError(fault, request: summary, head: head, body: response.body))
            })
      }
      subscription.hold { call.cancel() }
    } catch {
      subscription.resolve(.failure(RESTError(error, request: summary)))
    }
  }
}

/// A publisher of an engine's response in pieces, with one call for each subscription.
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
