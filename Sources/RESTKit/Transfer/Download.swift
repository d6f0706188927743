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
      .mapError { error in
        // Who hears of it may begin the next download at once, while this one is still on the stack.
        part.letGo()
        return error is PartialFileMismatch ? mixedUp : error
      }
      // And so may who cancelled it, while the transport still has a chunk in hand.
      .handleEvents(receiveCancel: { part.letGo() })
      .eraseToAnyPublisher()
  }

  private var mixedUp: RESTError {
    RESTError(
      .malformedResponse,
      reason: "the server answered with another part of the file than was asked for",
      remedy: "Try again later: the server, or a cache before it, mixes up ranges.",
      request: RequestSummary(request))
  }

  private var attempt: AnyPublisher<DownloadEvent, any Error> {
    Deferred {
      let refusal = ResponseCollector(
        request: RequestSummary(request), limits: follower.transport.limits,
        call: follower.call)
      return follower.events(for: part.request(from: request), body: nil)
        .through(DownloadStage(part: part, refusal: refusal))
        .through(DownloadTail(part: part, refusal: refusal))
    }
    .eraseToAnyPublisher()
  }
}

/// Writes what belongs to the file, and collects a response that is not the file.
struct DownloadStage: Stage {
  let part: PartialFile
  let refusal: ResponseCollector
  private var isRefused = false

  init(part: PartialFile, refusal: ResponseCollector) {
    self.part = part
    self.refusal = refusal
  }

  mutating func receive(_ event: TransferEvent) throws -> StageStep<TransferProgress> {
    switch event {
    case .sent:
      return .skip
    case .head(let head) where head.statusCode == 200 || head.statusCode == 206:
      return .pass(try part.take(head))
    case .head(let head):
      // The range is past the end of what is there now.
      if head.statusCode == 416, part.isResumable { throw PartialFileMismatch() }
      isRefused = true
      refusal.take(head)
      return .skip
    case .chunk(let chunk) where isRefused:
      try refusal.take(chunk)
      return .skip
    case .chunk(let chunk):
      return .pass(try part.take(chunk))
    }
  }
}

/// Ends a download with its file, or with what came in its place.
struct DownloadTail: Tail {
  let part: PartialFile
  let refusal: ResponseCollector

  func receive(_ progress: TransferProgress) -> DownloadEvent? {
    .progress(progress)
  }

  func end(_ completion: Subscribers.Completion<any Error>) -> TailEnd<DownloadEvent, any Error> {
    guard case .finished = completion else { return .end(completion) }
    if let response = refusal.response {
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
