import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A task wrapper that keeps `cancel()` and `resume()` apart.
///
/// On Linux a cancel while the task is being resumed can end the process. A cancel that comes too early is
/// repeated after `resume()` has returned.
final class URLSessionStarter: Sendable {
  private enum Stage {
    case new
    case cancelledEarly
    case started
  }

  private let task: URLSessionDataTask
  private let stage = Lock(Stage.new)

  init(_ task: URLSessionDataTask) {
    self.task = task
  }

  /// Starts the task.
  ///
  /// Call it once.
  func start() {
    task.resume()
    let mustCancel = stage.withLock { stage in
      defer { stage = .started }
      return stage == .cancelledEarly
    }
    if mustCancel { task.cancel() }
  }

  /// Cancels the task, now or as soon as it has started.
  func cancel() {
    let mayCancel = stage.withLock { stage in
      if stage == .new { stage = .cancelledEarly }
      return stage == .started
    }
    if mayCancel { task.cancel() }
  }
}
