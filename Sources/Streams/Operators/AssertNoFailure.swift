extension Publisher {
  /// Takes a failure for a programming error: ends the process with a message that names the error
  /// and this line.
  ///
  /// Of all operators this is the only one that traps, in release builds too. To keep the process
  /// alive, use ``replaceError(with:)`` or ``catch(_:)``.
  ///
  /// ```marble
  /// source: --1--2--|
  /// assertNoFailure()
  /// result: --1--2--|
  /// ```
  ///
  /// - Demand: The downstream's.
  /// - Errors: None: a failure of the upstream traps.
  /// - Completion: When the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: Where the upstream delivers.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameters:
  ///   - prefix: Goes before the error in the message.
  ///   - file: The file to name.
  ///   - line: The line to name.
  @inlinable
  public func assertNoFailure(_ prefix: String = "", file: StaticString = #file, line: UInt = #line)
    -> Publishers.AssertNoFailure<Self>
  {
    // A trap is right: it is what the caller asked for, and what the name says.
    mapError { fatalError(prefix.isEmpty ? "\($0)" : "\(prefix): \($0)", file: file, line: line) }
  }
}

extension Publishers {
  /// A publisher whose upstream must not fail.
  public typealias AssertNoFailure<Upstream: Publisher> = MapError<Upstream, Never>
}
