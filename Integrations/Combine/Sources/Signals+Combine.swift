import Streams

extension Streams.Subscribers.Demand {
  init(_ demand: CombineFramework.Subscribers.Demand) {
    self = demand.max.map { .max($0) } ?? .unlimited
  }

  var forCombine: CombineFramework.Subscribers.Demand {
    max.map { .max($0) } ?? .unlimited
  }
}

extension Streams.Subscribers.Completion {
  init(_ completion: CombineFramework.Subscribers.Completion<Failure>) {
    switch completion {
    case .finished: self = .finished
    case .failure(let error): self = .failure(error)
    }
  }

  var forCombine: CombineFramework.Subscribers.Completion<Failure> {
    switch self {
    case .finished: .finished
    case .failure(let error): .failure(error)
    }
  }
}
