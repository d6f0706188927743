import RESTKit
import Streams

/// One exchange for each subscription, in pieces.
struct ExchangeEvents: Publisher {
  typealias Output = TransferEvent
  typealias Failure = any Error

  let exchange: ClientExchange

  func receive(subscriber: some Subscriber<TransferEvent, any Error>) {
    let subscription = ExchangeSubscription(subscriber)
    subscriber.receive(subscription: subscription)
    subscription.start(exchange)
  }
}
