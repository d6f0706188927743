import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One download: it requests the missing bytes of a file, writes them, and finally moves the file into
/// place.
struct Download: Sendable {
  let plan: RequestPlan
  let request: URLRequest
  let part: PartialFile

  var events: AnyPublisher<DownloadEvent, any Error> {
    attempt
      .tryCatch { error in
        guard let mismatch = error as? PartialFileMismatch else { throw error }
        plan.scopedCall?.journal.record(.beganAnew(because: "\(mismatch)"))
        // With nothing to resume, the second attempt asks for the whole file.
        try part.startOver()
        return attempt
      }
      .mapError { error in
        // A subscriber may begin the next download in its completion handler, while this one is on the
        // stack.
        part.letGo()
        return error is PartialFileMismatch ? mixedUp : error
      }
      // So may the code that cancels, while the transport still has a chunk.
      .handleEvents(receiveCancel: { part.letGo() })
      .eraseToAnyPublisher()
  }

  private var mixedUp: any Error {
    let error = RESTError(
      .malformedResponse,
      reason: "the server answered with another part of the file than was requested",
      remedy: "Try again later: the server, or a cache before it, mixes up ranges.",
      request: RequestSummary(request))
    return plan.scopedCall.map { error.recorded(in: $0.journal) } ?? error
  }

  private var attempt: AnyPublisher<DownloadEvent, any Error> {
    Deferred {
      let refusal = ResponseCollector(
        request: RequestSummary(request), limits: plan.transport.limits,
        journal: plan.scopedCall?.journal)
      return plan.events(for: part.request(from: request), body: nil)
        .through(
          RefusedResponseTail(refusal) { head in
            switch head.statusCode {
            case 200, 206:
              plan.binding?.isRefused(
                by: RESTResponse(head: head, data: Data(), request: RequestSummary(request)))
                ?? false
            // The range begins after the current end of the file. `DownloadTail` handles this case.
            case 416: !part.isResumable
            default: true
            }
          }
        )
        .through(DownloadTail(part: part, journal: plan.scopedCall?.journal))
    }
    .eraseToAnyPublisher()
  }
}

/// Writes the bytes of the file, and completes the download.
private struct DownloadTail: Publishers.Tail {
  let part: PartialFile
  let journal: CallJournal?

  func receive(_ event: TransferEvent) throws -> Publishers.StageStep<DownloadEvent> {
    switch event {
    case .sent:
      return .skip
    case .head(let head):
      guard head.statusCode != 416 else { throw PartialFileMismatch.pastTheEnd }
      if head.statusCode == 200, part.isResumable {
        journal?.record(.beganAnew(because: "the server sent the whole file"))
      }
      return .pass(.progress(try part.take(head)))
    case .chunk(let chunk):
      return .pass(.progress(try part.take(chunk)))
    }
  }

  func end(
    _ completion: Subscribers.Completion<any Error>
  ) -> Publishers.TailEnd<DownloadEvent, any Error> {
    guard case .finished = completion else { return .end(completion) }
    do {
      guard let head = try part.finish() else { return .end(completion) }
      return .value(.finished(head))
    } catch {
      return .end(.failure(error))
    }
  }
}
