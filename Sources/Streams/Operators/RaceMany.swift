extension Sequence where Element: Publisher {
  /// Follows whichever of these publishers signals first; the others are cancelled.
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
  /// - Demand: The downstream's, of each publisher until one has won.
  /// - Errors: The winner's failure; a failure wins a race, too.
  /// - Completion: When the winner finishes; the end wins a race, too. Of none, at once.
  /// - Cancellation: Cancels all that still run.
  /// - Delivery: Where the winner delivers.
  /// - Complexity: O(1) for each value.
  @inlinable public func raced() -> Publishers.RaceMany<Element> {
    Publishers.RaceMany(self)
  }
}

extension Publishers {
  /// A publisher that follows whichever of its publishers signals first.
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
