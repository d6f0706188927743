extension Publishers {
  /// The policy for a value that arrives at a full buffer.
  public enum BufferingStrategy<Failure: Error>: Sendable {
    /// Drops the new value.
    case dropNewest
    /// Drops the value that has waited longest.
    case dropOldest
    /// Cancels the upstream and fails.
    case customError(@Sendable () -> Failure)
  }
}
