import Foundation
import Streams

extension Publisher where Output == UploadEvent {
  /// Calls a closure with the progress of an upload, and passes on all events.
  ///
  /// - Parameter handle: A closure that runs on the thread of the event, before the event is passed
  ///   on.
  public func handleProgress(
    _ handle: @escaping @Sendable (TransferProgress) -> Void
  ) -> AnyPublisher<UploadEvent, Failure> {
    map { event in
      if case .progress(let progress) = event { handle(progress) }
      return event
    }
    .eraseToAnyPublisher()
  }
}

extension Publisher where Output == DownloadEvent {
  /// Calls a closure with the progress of a download to a file, and passes on all events.
  ///
  /// - Parameter handle: A closure that runs on the thread of the event, before the event is passed
  ///   on.
  public func handleProgress(
    _ handle: @escaping @Sendable (TransferProgress) -> Void
  ) -> AnyPublisher<DownloadEvent, Failure> {
    map { event in
      if case .progress(let progress) = event { handle(progress) }
      return event
    }
    .eraseToAnyPublisher()
  }
}

extension Publisher where Output == TransferEvent {
  /// Calls a closure with the progress of the response's body, and passes on all events.
  ///
  /// The closure runs once for the head, with no bytes, and once for each chunk. The bytes are
  /// those of the decoded body. The total is the response's `Content-Length`; nil if it has none,
  /// or if the body is encoded. After another head, such as that of a retry, the progress begins
  /// again. That of the request's body is in ``TransferEvent/sent(_:)``.
  ///
  /// - Parameter handle: A closure that runs on the thread of the event, before the event is passed
  ///   on.
  public func handleProgress(
    _ handle: @escaping @Sendable (TransferProgress) -> Void
  ) -> AnyPublisher<TransferEvent, Failure> {
    through(ReceivedProgress<Failure>(handle: handle)).eraseToAnyPublisher()
  }
}

/// Counts the bytes of a body as they pass.
private struct ReceivedProgress<Failure: Error>: Publishers.Stage {
  let handle: @Sendable (TransferProgress) -> Void
  private var completedBytes: Int64 = 0
  private var totalBytes: Int64?

  init(handle: @escaping @Sendable (TransferProgress) -> Void) {
    self.handle = handle
  }

  mutating func receive(
    _ event: TransferEvent
  ) throws(Failure) -> Publishers.StageStep<TransferEvent> {
    switch event {
    case .sent:
      return .pass(event)
    case .head(let head):
      completedBytes = 0
      // `Content-Length` counts the bytes before they are decoded.
      totalBytes = head.headers["Content-Encoding"] == nil ? head.contentLength : nil
    case .chunk(let chunk):
      completedBytes += Int64(chunk.count)
    }
    handle(TransferProgress(completedBytes: completedBytes, totalBytes: totalBytes))
    return .pass(event)
  }
}
