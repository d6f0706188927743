import RESTKit
import Streams
import Synchronization

/// The progress of an upload: the bytes that were sent, and the body's error.
final class UploadProgress: Sendable {
  /// The latest progress, which ends with the body or with the exchange.
  let steps: AsyncStream<TransferProgress>

  /// A publisher that sends a value when the body is no longer needed, even if this was before.
  let stops: AnyPublisher<Bool, Never>

  private let isOver = CurrentValueSubject<Bool, Never>(false)
  private let step: AsyncStream<TransferProgress>.Continuation
  private let totalBytes: Int64?
  private let reason = Mutex<(any Error)?>(nil)

  /// - Parameter totalBytes: The length of the body, or nil if it is not known.
  init(totalBytes: Int64?) {
    self.totalBytes = totalBytes
    (steps, step) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    stops = isOver.filter { $0 }.eraseToAnyPublisher()
  }

  /// The error of the body, if it failed.
  var failure: (any Error)? { reason.withLock { $0 } }

  func note(sent bytes: Int64) {
    step.yield(TransferProgress(completedBytes: bytes, totalBytes: totalBytes))
  }

  func note(_ failure: any Error) {
    reason.withLock { $0 = $0 ?? failure }
    end()
  }

  /// Whether the body is no longer needed.
  var isStopped: Bool { isOver.value }

  /// Releases the source of the body, for which the client itself would continue to wait.
  func stop() {
    end()
    isOver.send(true)
  }

  func end() {
    step.finish()
  }
}
