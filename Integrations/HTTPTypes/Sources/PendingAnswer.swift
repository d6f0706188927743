import HTTPTypes
import RESTKit

/// A client at work; letting go of it cancels the client's task, and lets go of the request's body.
final class PendingAnswer: Sendable {
  let upload: RequestUpload?

  private let task: Task<(HTTPResponse, HTTPMessageBody?), any Error>

  init(
    upload: RequestUpload?,
    _ work: @escaping @Sendable () async throws -> (HTTPResponse, HTTPMessageBody?)
  ) {
    self.upload = upload
    task = Task {
      // A server may answer before it has read all of a body.
      do {
        let answer = try await work()
        upload?.noteAnswer()
        return answer
      } catch {
        upload?.endProgress()
        throw error
      }
    }
  }

  deinit {
    task.cancel()
    upload?.stop()
  }

  /// How much of the body has gone out; it ends with the body, or with the answer.
  var steps: AsyncStream<TransferProgress> { upload?.steps ?? AsyncStream { nil } }

  /// The client's response; a cancel cancels the client.
  var value: (HTTPResponse, HTTPMessageBody?) {
    get async throws {
      try await withTaskCancellationHandler {
        try await task.value
      } onCancel: {
        task.cancel()
      }
    }
  }
}
