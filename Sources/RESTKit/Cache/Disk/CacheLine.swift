import Foundation

/// The line of a cache's work in its folder, for a test that plays a process.
package struct CacheLine: Sendable {
  let enqueue: @Sendable (@escaping @Sendable () -> Void) -> Void
  let awaitAll: @Sendable () -> Void
  let willReach: @Sendable () throws(POSIXError) -> Void

  /// - Parameters:
  ///   - enqueue: Adds work, which runs later, one after another.
  ///   - awaitAll: Runs when a call, or the end of the cache, waits for the work so far. It may
  ///     return before the work is done.
  ///   - willReach: Runs before each step in the folder. It throws if the process has ended.
  package init(
    enqueue: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void,
    awaitAll: @escaping @Sendable () -> Void,
    willReach: @escaping @Sendable () throws(POSIXError) -> Void
  ) {
    self.enqueue = enqueue
    self.awaitAll = awaitAll
    self.willReach = willReach
  }
}
