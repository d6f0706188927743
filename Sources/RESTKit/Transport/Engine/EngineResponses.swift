import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

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
