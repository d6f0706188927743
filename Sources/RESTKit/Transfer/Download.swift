import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One download: what is missing of a file is asked for, written, and at last put in place.
struct Download: Sendable {
  let follower: RedirectFollower
  let request: URLRequest
  let part: PartialFile

  var events: AnyPublisher<DownloadEvent, any Error> {
    attempt
      .tryCatch { error in
        guard error is PartialFileMismatch else { throw error }
        // With nothing to resume, the second attempt asks for the whole file.
        try part.startOver()
        return attempt
      }
      .eraseToAnyPublisher()
  }

  private var attempt: AnyPublisher<DownloadEvent, any Error> {
    Deferred {
      follower.events(for: part.request(from: request), body: nil)
        .through(
          DownloadStage(
            part: part, request: RequestSummary(request),
            errorBodyBytes: follower.transport.limits.errorBodyBytes)
        )
        .through(DownloadTail(part: part, request: RequestSummary(request)))
    }
    .eraseToAnyPublisher()
  }
}

/// What a piece of the response became.
enum DownloadStep: Sendable {
  case written(TransferProgress)
  /// Head and body of a response that is not the file.
  case refusal(ResponseHead)
  case refusalBody(Data)
}

/// Writes what belongs to the file.
struct DownloadStage: Stage {
  let part: PartialFile
  let request: RequestSummary
  let errorBodyBytes: Int
  private var isRefused = false
  private var refusalBytes = 0

  init(part: PartialFile, request: RequestSummary, errorBodyBytes: Int) {
    self.part = part
    self.request = request
    self.errorBodyBytes = errorBodyBytes
  }

  mutating func receive(_ event: TransferEvent) throws -> StageStep<DownloadStep> {
    switch event {
    case .sent:
      return .skip
    case .head(let head) where head.statusCode == 200 || head.statusCode == 206:
      return .pass(.written(try part.take(head)))
    case .head(let head):
      // The range is past the end of what is there now.
      if head.statusCode == 416, part.isResumable { throw PartialFileMismatch() }
      isRefused = true
      return .pass(.refusal(head))
    case .chunk(let chunk) where isRefused:
      refusalBytes += chunk.count
      guard refusalBytes <= errorBodyBytes else {
        let fault = TransportFault(
          kind: .limitExceeded(.errorBodyBytes),
          detail: "more than \(errorBodyBytes) bytes of decoded body", mayHaveBeenProcessed: true)
        throw RESTError(fault, request: request)
      }
      return .pass(.refusalBody(chunk))
    case .chunk(let chunk):
      return .pass(.written(try part.take(chunk)))
    }
  }
}

/// Ends a download with its file, or with what came in its place.
struct DownloadTail: Tail {
  let part: PartialFile
  let request: RequestSummary
  private var refusal: ResponseHead?
  private var refusalBody = Data()

  init(part: PartialFile, request: RequestSummary) {
    self.part = part
    self.request = request
  }

  mutating func receive(_ step: DownloadStep) -> DownloadEvent? {
    switch step {
    case .written(let progress): return .progress(progress)
    case .refusal(let head): refusal = head
    case .refusalBody(let data): refusalBody.append(data)
    }
    return nil
  }

  mutating func end(
    _ completion: Subscribers.Completion<any Error>
  ) -> TailEnd<DownloadEvent, any Error> {
    guard case .finished = completion else { return .end(completion) }
    if let refusal {
      let response = RESTResponse(head: refusal, data: refusalBody, request: request)
      return .end(.failure(RESTError(unacceptable: response)))
    }
    do throws(RESTError) {
      guard let head = try part.finish() else { return .end(completion) }
      return .value(.finished(head))
    } catch {
      return .end(.failure(error))
    }
  }
}
