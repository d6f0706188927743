extension Publisher {
  /// Follows the publisher that signals first and cancels the others.
  ///
  /// The publishers are subscribed in order. After one of them has won, the later ones are not
  /// subscribed.
  ///
  /// ```marble
  /// a:            ----1--2--|
  /// a subscribed: ^-!
  /// b:            --3----4--|
  /// a.race(with: b)
  /// result:       --3----4--|
  /// ```
  ///
  /// - Demand: Forwards the downstream's demand to each publisher until one has won.
  /// - Errors: The winner's failure. A failure can win a race, too.
  /// - Completion: When the winner finishes. A completion can win a race, too.
  /// - Cancellation: Cancels all publishers that still run.
  /// - Delivery: On the winner's thread.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameter other: A publisher with the same output and failure.
  @inlinable public func race<Other: Publisher>(
    with other: Other
  ) -> Publishers.Race<Self, Other> where Other.Output == Output, Other.Failure == Failure {
    Publishers.Race(self, other)
  }
}

extension Publishers {
  /// A publisher that follows the one of two publishers that signals first.
  @frozen public struct Race<A: Publisher, B: Publisher>: Publisher
  where B.Output == A.Output, B.Failure == A.Failure {
    public typealias Output = A.Output
    public typealias Failure = A.Failure

    public let a: A
    public let b: B

    @inlinable public init(_ a: A, _ b: B) {
      self.a = a
      self.b = b
    }

    @inlinable public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      let race = FanIn<PassingSlot<Output>, Downstream>(for: subscriber, rule: .winner)
      race.attach(a) { $0.put($1) }
      race.attach(b) { $0.put($1) }
      race.start()
    }
  }
}

extension Publishers.Race: Equatable where A: Equatable, B: Equatable {}
