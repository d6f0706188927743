import RESTKit
import Streams
import Synchronization

/// What is known of a body on its way: how much of it went out, and why it failed.
final class UploadProgress: Sendable {
  /// The latest of what went out; it ends with the body, or with the exchange.
  let steps: AsyncStream<TransferProgress>

  /// Says when nobody wants the body any more; at once where that was before.
  let stops: AnyPublisher<Bool, Never>

  private let isOver = CurrentValueSubject<Bool, Never>(false)
  private let step: AsyncStream<TransferProgress>.Continuation
  private let totalBytes: Int64?
  private let reason = Mutex<(any Error)?>(nil)

  /// - Parameter totalBytes: The length of the body, where it is known.
  init(totalBytes: Int64?) {
    self.totalBytes = totalBytes
    (steps, step) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    stops = isOver.filter { $0 }.eraseToAnyPublisher()
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

  /// Whether nobody wants the body any more.
  var isStopped: Bool { isOver.value }

  /// Lets go of what the body comes from, which the client itself would go on to wait for.
  func stop() {
    end()
    isOver.send(true)
  }

  func end() {
    step.finish()
  }
}
