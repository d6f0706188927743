import Streams

extension Scheduler {
  /// Whether waits on this scheduler take time.
  ///
  /// If they take none, a time-out would expire at once.
  var letsTimePass: Bool { !(self is ImmediateScheduler) }
}
