extension Publishers {
  /// When a shared connection is forgotten after something has happened, so that the next
  /// subscriber connects anew.
  public enum ShareReset: Sendable {
    /// Never: the connection, with what it replays, stays for whoever comes.
    case never
    /// At once.
    case atOnce
    /// After a time to live, measured by a scheduler.
    case after(Duration, scheduler: any Scheduler)
  }
}
