import Streams

/// A subscription that counts its requests and cancels.
struct CountingSubscription: Subscription {
  let requests = Tally()
  let cancels = Tally()

  func request(_ demand: Subscribers.Demand) {
    requests.add()
  }

  func cancel() {
    cancels.add()
  }
}
