import RESTKit
import Synchronization

/// What is known of a body on its way: how much of it went out, and why it failed.
final class UploadProgress: Sendable {
  /// The latest of what went out; it ends with the body, or with the exchange.
  let steps: AsyncStream<TransferProgress>

  private let step: AsyncStream<TransferProgress>.Continuation
  private let totalBytes: Int64?
  private let reason = Mutex<(any Error)?>(nil)

  /// - Parameter totalBytes: The length of the body, where it is known.
  init(totalBytes: Int64?) {
    self.totalBytes = totalBytes
    (steps, step) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// What the body failed with.
  var failure: (any Error)? { reason.withLock { $0 } }

  func note(sent bytes: Int64) {
    step.yield(TransferProgress(completedBytes: bytes, totalBytes: totalBytes))
  }

  func note(_ failure: any Error) {
    reason.withLock { $0 = $0 ?? failure }
    end()
  }

  func end() {
    step.finish()
  }
}
