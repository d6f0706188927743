import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

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
