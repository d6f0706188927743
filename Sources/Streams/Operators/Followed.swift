extension Publisher where Failure == any Error {
  /// Waits for the end of this publisher, and follows the publisher that a closure makes of its
  /// last value.
  ///
  /// In contrast to `flatMap`, the followed publisher gets the downstream's demand. So no value of
  /// it waits, which a failure would then overtake.
  ///
  /// - Parameter next: A closure that makes the publisher to follow. It runs once, if there is a
  ///   value.
  package func followed<NewOutput: Sendable>(
    by next: @escaping @Sendable (Output) throws -> AnyPublisher<NewOutput, any Error>
  ) -> AnyPublisher<NewOutput, any Error> {
    Deferred {
      let last = Lock<Output?>(nil)
      let wait = handleEvents(receiveOutput: { value in
        let released = last.withLock { $0.replace(with: value) }
        withExtendedLifetime(released) {}
      })
      .ignoreOutput()
      .map(impossible as @Sendable (Never) -> NewOutput)
      return Relay(
        RelayLeg(
          wait.eraseToAnyPublisher(),
          rule: FollowingRule {
            try last.withLock { $0.take() }.map(next)
          }))
    }
    .eraseToAnyPublisher()
  }
}

/// The rule of one publisher after another, which passes all signals of the second one.
private struct FollowingRule<Output: Sendable>: RelayRule {
  /// Makes the second publisher; nil once it is followed.
  let next: (@Sendable () throws -> AnyPublisher<Output, any Error>?)?

  func successor(of value: inout Output) -> RelayLeg<Self>? { nil }

  func successor(after end: Subscribers.Completion<any Error>) throws -> RelayLeg<Self>? {
    guard let next, case .finished = end, let publisher = try next() else { return nil }
    return RelayLeg(publisher, rule: Self(next: nil))
  }
}

extension Optional {
  /// Returns the value, and replaces it.
  fileprivate mutating func replace(with value: Wrapped) -> Wrapped? {
    defer { self = value }
    return self
  }
}
