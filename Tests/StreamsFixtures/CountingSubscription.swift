import Streams

/// A subscription that counts its requests and cancels.
package struct CountingSubscription: Subscription {
  package let requests = Tally()
  package let cancels = Tally()

  package init() {}

  package func request(_ demand: Subscribers.Demand) {
    requests.add()
  }

  package func cancel() {
    cancels.add()
  }
}
