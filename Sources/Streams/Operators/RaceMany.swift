extension Sequence where Element: Publisher {
  /// Follows the publisher that signals first and cancels the others.
  ///
  /// As ``Publisher/race(with:)``, for any number of publishers of one type.
  ///
  /// ```marble
  /// a:      ----1--2--|
  /// b:      --3----4--|
  /// [a, b].raced()
  /// result: --3----4--|
  /// ```
  ///
  /// - Demand: Forwards the downstream's demand to each publisher until one has won.
  /// - Errors: The winner's failure. A failure can win a race, too.
  /// - Completion: When the winner finishes. A completion can win a race, too. At once if there are
  ///   no publishers.
  /// - Cancellation: Cancels all publishers that still run.
  /// - Delivery: On the winner's thread.
  /// - Complexity: O(1) for each value.
  @inlinable public func raced() -> Publishers.RaceMany<Element> {
    Publishers.RaceMany(self)
  }
}

extension Publishers {
  /// A publisher that follows the one of its publishers that signals first.
  @frozen public struct RaceMany<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    public let publishers: [Upstream]

    @inlinable
    public init<Elements: Swift.Sequence>(_ upstream: Elements) where Elements.Element == Upstream {
      publishers = Array(upstream)
    }

    @inlinable public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      let race = FanIn<PassingSlot<Output>, Downstream>(for: subscriber, rule: .winner)
      for publisher in publishers { race.attach(publisher) { $0.put($1) } }
      race.start()
    }
  }
}

extension Publishers.RaceMany: Equatable where Upstream: Equatable {}
