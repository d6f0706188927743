extension Publishers {
  /// What a full buffer does with one more value.
  public enum BufferingStrategy<Failure: Error>: Sendable {
    /// Drops the value that came.
    case dropNewest
    /// Drops the value that has waited longest.
    case dropOldest
    /// Cancels the upstream and fails.
    case customError(@Sendable () -> Failure)
  }
}
