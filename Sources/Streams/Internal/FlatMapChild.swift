/// Subscribes one of the publishers that are merged.
@frozen
@usableFromInline
struct FlatMapChild<Downstream: Subscriber>: Subscriber {
  @usableFromInline let driver: FlatMapDriver<Downstream>
  @usableFromInline let id: FlatMapChildID

  @inlinable
  init(driver: FlatMapDriver<Downstream>, id: FlatMapChildID) {
    self.driver = driver
    self.id = id
  }

  @inlinable
  func receive(subscription: any Subscription) {
    driver.admit(subscription, of: id)
  }

  @inlinable
  func receive(_ input: Downstream.Input) -> Subscribers.Demand {
    driver.receive(input, from: id)
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Downstream.Failure>) {
    switch completion {
    case .finished: driver.finished(id)
    case .failure(let error): driver.failed(error, from: id)
    }
  }
}
