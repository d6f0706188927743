import Foundation
import Streams
import Synchronization

/// The line of a disk store's work, which is done one after another.
final class DiskQueue: Sendable {
  typealias Work = @Sendable () -> Void

  private struct Line {
    /// The work that is not done, of each kind.
    var brief = 0
    var slow = 0
    /// The thread that works.
    var worker: ObjectIdentifier?
  }

  private let enqueue: @Sendable (@escaping Work) -> Void
  /// Waits until all work so far is done, or for a time.
  private let awaitAll: @Sendable (DispatchTimeInterval) -> Void
  private let line = Lock(Line())

  /// The maximum wait for the line of a caller that could also go on.
  ///
  /// It may be a thread that delivers responses.
  private static let briefWait = DispatchTimeInterval.milliseconds(200)
  /// The maximum wait for all work when nobody needs the store any more.
  ///
  /// The disk may hang, or another process be stopped while it has the folder's lock.
  private static let longestWait = DispatchTimeInterval.seconds(10)

  convenience init() {
    let queue = DispatchQueue(label: "RESTKit.DiskCacheStore")
    self.init { queue.async(execute: $0) }
  }

  /// - Parameter enqueue: A function that runs closures later, one after another.
  convenience init(_ enqueue: @escaping @Sendable (@escaping Work) -> Void) {
    self.init(enqueue) { limit in
      let done = DispatchSemaphore(value: 0)
      enqueue { done.signal() }
      _ = done.wait(timeout: .now() + limit)
    }
  }

  /// - Parameters:
  ///   - enqueue: A function that runs closures later, one after another.
  ///   - awaitAll: A function that returns when they have run, or after a time.
  init(
    _ enqueue: @escaping @Sendable (@escaping Work) -> Void,
    awaitAll: @escaping @Sendable (DispatchTimeInterval) -> Void
  ) {
    self.enqueue = enqueue
    self.awaitAll = awaitAll
  }

  /// Adds work.
  ///
  /// - Parameter isSlow: Whether it may take long, so that nobody waits for it.
  func add(isSlow: Bool = false, _ work: @escaping Work) {
    line.withLock { line in
      if isSlow { line.slow += 1 } else { line.brief += 1 }
    }
    enqueue { [self] in
      line.withLock { $0.worker = Self.thread }
      work()
      line.withLock { line in
        line.worker = nil
        if isSlow { line.slow -= 1 } else { line.brief -= 1 }
      }
    }
  }

  /// Waits for the caller's own work, if the line was empty before.
  func settle() {
    // The start of the store may be before it.
    let isShort = line.withLock { 1...2 ~= $0.brief && $0.slow == 0 }
    if isShort { wait(Self.briefWait) }
  }

  /// Waits for all work so far.
  func finish() {
    if line.withLock({ $0.brief + $0.slow > 0 }) { wait(Self.longestWait) }
  }

  private func wait(_ limit: DispatchTimeInterval) {
    // Work that runs user code may come here.
    guard line.withLock({ $0.worker != Self.thread }) else { return }
    awaitAll(limit)
  }

  private static var thread: ObjectIdentifier { ObjectIdentifier(Thread.current) }
}
