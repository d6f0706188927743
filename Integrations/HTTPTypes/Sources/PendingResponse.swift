import HTTPTypes
import RESTKit

/// A running client, whose release cancels the client's task and releases the request's body.
final class PendingResponse: Sendable {
  let upload: RequestUpload?

  private let task: Task<(HTTPResponse, HTTPMessageBody?), any Error>

  init(
    upload: RequestUpload?,
    _ work: @escaping @Sendable () async throws -> (HTTPResponse, HTTPMessageBody?)
  ) {
    self.upload = upload
    task = Task {
      // A server may respond before it has read the whole body.
      do {
        let answer = try await work()
        upload?.noteResponse()
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

  /// The progress of the request's body, which ends with the body or with the response.
  var steps: AsyncStream<TransferProgress> { upload?.steps ?? AsyncStream { nil } }

  /// The client's response.
  ///
  /// A cancel of the waiting task cancels the client.
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
