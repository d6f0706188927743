extension Publisher {
  /// Ends the process if this publisher fails, with a message that names the error and the source
  /// line.
  ///
  /// It traps, also in release builds. Of the other operators, only the breakpoints can end a
  /// process. To keep the process alive, use ``replaceError(with:)`` or ``catch(_:)``.
  ///
  /// ```marble
  /// source: --1--2--|
  /// assertNoFailure()
  /// result: --1--2--|
  /// ```
  ///
  /// - Demand: Forwards the downstream's demand.
  /// - Errors: None. A failure of the upstream traps.
  /// - Completion: When the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: On the upstream's thread.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameters:
  ///   - prefix: The text before the error in the message.
  ///   - file: The file that the message names.
  ///   - line: The line that the message names.
  @inlinable
  public func assertNoFailure(_ prefix: String = "", file: StaticString = #file, line: UInt = #line)
    -> Publishers.AssertNoFailure<Self>
  {
    // The trap is intended: the caller asks for it, and the name of the operator says so.
    mapError { fatalError(prefix.isEmpty ? "\($0)" : "\(prefix): \($0)", file: file, line: line) }
  }
}

extension Publishers {
  /// A publisher whose upstream must not fail.
  public typealias AssertNoFailure<Upstream: Publisher> = MapError<Upstream, Never>
}
