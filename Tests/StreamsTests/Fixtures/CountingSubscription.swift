import Streams

/// Counts what it is asked.
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
