import Streams

#if canImport(Combine)
  import Combine
#else
  import OpenCombine
#endif

extension Streams.Subscribers.Demand {
  @inlinable init(_ demand: CombineFramework.Subscribers.Demand) {
    self = demand.max.map { .max($0) } ?? .unlimited
  }

  @inlinable var forCombine: CombineFramework.Subscribers.Demand {
    max.map { .max($0) } ?? .unlimited
  }
}

extension Streams.Subscribers.Completion {
  @inlinable init(_ completion: CombineFramework.Subscribers.Completion<Failure>) {
    switch completion {
    case .finished: self = .finished
    case .failure(let error): self = .failure(error)
    }
  }

  @inlinable var forCombine: CombineFramework.Subscribers.Completion<Failure> {
    switch self {
    case .finished: .finished
    case .failure(let error): .failure(error)
    }
  }
}
