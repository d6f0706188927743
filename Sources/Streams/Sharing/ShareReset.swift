extension Publishers {
  /// The time at which a shared connection is forgotten after an event, so that the next subscriber
  /// connects again.
  public enum ShareReset: Sendable {
    /// Never: the connection, with its replay, remains for later subscribers.
    case never
    /// At once.
    case atOnce
    /// After a time to live, measured by a scheduler.
    case after(Duration, scheduler: any Scheduler)
  }
}
