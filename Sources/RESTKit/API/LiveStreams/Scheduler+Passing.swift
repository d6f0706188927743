import Streams

extension Scheduler {
  /// Whether waits on it take time: a time-out that is measured where they take none is over at once.
  var letsTimePass: Bool { !(self is ImmediateScheduler) }
}
