import RESTKit
import Streams

/// A publisher of the events of an exchange, which runs once for each subscription.
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
