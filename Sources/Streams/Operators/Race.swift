extension Publisher {
  /// Follows whichever of these publishers signals first; the others are cancelled.
  ///
  /// They are subscribed in order; once one has won, those after it are not subscribed.
  ///
  /// ```marble
  /// a:            ----1--2--|
  /// a subscribed: ^-!
  /// b:            --3----4--|
  /// a.race(with: b)
  /// result:       --3----4--|
  /// ```
  ///
  /// - Demand: The downstream's, of each publisher until one has won.
  /// - Errors: The winner's failure; a failure wins a race, too.
  /// - Completion: When the winner finishes; the end wins a race, too.
  /// - Cancellation: Cancels all that still run.
  /// - Delivery: Where the winner delivers.
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
  /// A publisher that follows whichever of two publishers signals first.
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
