extension Sequence where Element: Publisher {
  /// Sends the values of all these publishers as they arrive.
  ///
  /// As ``Publisher/merge(with:)``, for any number of publishers of one type.
  ///
  /// ```marble
  /// a:      --1-----3--|
  /// b:      ----2------4--|
  /// [a, b].merged()
  /// result: --1-2---3--4--|
  /// ```
  ///
  /// - Demand: Requests everything from each upstream if the downstream requests everything.
  ///   Otherwise requests one value of each at a time.
  /// - Errors: The first failure of an upstream, at once. Waiting values are dropped.
  /// - Completion: When all upstreams have finished, or at once if there is none.
  /// - Cancellation: Cancels all upstreams.
  /// - Delivery: On the upstreams' threads, one value at a time. The values of one upstream keep
  ///   their order.
  /// - Complexity: O(1) for each value.
  @inlinable public func merged() -> Publishers.MergeMany<Element> {
    Publishers.MergeMany(self)
  }
}

extension Publishers {
  /// A publisher of the values of any number of publishers as they arrive.
  @frozen public struct MergeMany<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    public let publishers: [Upstream]

    @inlinable public init(_ upstream: Upstream...) {
      publishers = upstream
    }

    @inlinable
    public init<Elements: Swift.Sequence>(_ upstream: Elements) where Elements.Element == Upstream {
      publishers = Array(upstream)
    }

    @inlinable public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      let fanIn = FanIn<PassingSlot<Output>, Downstream>(for: subscriber)
      for publisher in publishers { fanIn.attach(publisher) { $0.put($1) } }
      fanIn.start()
    }
  }
}

extension Publishers.MergeMany: Equatable where Upstream: Equatable {}
