import Streams
import StreamsTesting

extension Publisher {
  /// Subscribes with unlimited demand and returns the subscriber.
  package func recorded() -> TestSubscriber<Output, Failure> {
    let subscriber = TestSubscriber<Output, Failure>()
    subscribe(subscriber)
    return subscriber
  }

  /// Returns the signals that a subscriber with a given initial demand receives.
  package func played(asking demand: Subscribers.Demand = .unlimited) -> [String] {
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

extension TestSubscriber {
  /// The received signals, in words.
  package var kinds: [String] {
    signals.map { signal in
      switch signal {
      case .subscription: "subscription"
      case .value(let value): "\(value)"
      case .completion(.finished): "finished"
      case .completion(.failure(let error)): "failure \(error)"
      }
    }
  }
}

/// Values, then a failure.
package func failing(_ output: Int..., with error: TestError = .first) -> Record<Int, TestError> {
  Record(output: output, completion: .failure(error))
}

/// Values, then the end, of a stream that could fail.
package func finishing(_ output: Int...) -> Record<Int, TestError> {
  Record(output: output, completion: .finished)
}

extension Publisher where Output == Int, Failure == TestError {
  /// This publisher's values, then a failure.
  package func append(_ error: TestError) -> AnyPublisher<Int, TestError> {
    let sources = [
      eraseToAnyPublisher(), Fail(outputType: Int.self, failure: error).eraseToAnyPublisher(),
    ]
    return sources.publisher.flatMap(maxPublishers: .max(1)) { $0 }.eraseToAnyPublisher()
  }
}
