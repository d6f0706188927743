import Streams
import StreamsTesting

extension Publisher {
  /// Subscribes with unlimited demand and returns the subscriber.
  func recorded() -> TestSubscriber<Output, Failure> {
    let subscriber = TestSubscriber<Output, Failure>()
    subscribe(subscriber)
    return subscriber
  }

  /// Returns the signals that a subscriber with a given initial demand receives.
  func played(asking demand: Subscribers.Demand = .unlimited) -> [String] {
    let subscriber = TestSubscriber<Output, Failure>(demand: demand)
    subscribe(subscriber)
    return subscriber.signals.compactMap { signal in
      switch signal {
      case .subscription: nil
      case .value(let value): "\(value)"
      case .completion(.finished): "finished"
      case .completion(.failure(let error)): "failure \(error)"
      }
    }
  }
}

/// Values, then a failure.
func failing(_ output: Int..., with error: TestError = .first) -> Record<Int, TestError> {
  Record(output: output, completion: .failure(error))
}

/// Values, then the end, of a stream that could fail.
func finishing(_ output: Int...) -> Record<Int, TestError> {
  Record(output: output, completion: .finished)
}
