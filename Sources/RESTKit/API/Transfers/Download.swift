import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One download: it requests the missing bytes of a file, writes them, and finally moves the file
/// into place.
struct Download: Sendable {
  let plan: RequestPlan
  let request: URLRequest
  let part: PartialFile

  var events: AnyPublisher<DownloadEvent, any Error> {
    Relay(RelayLeg(exchange, rule: DownloadRule(download: self))) { _ in
      // A subscriber may begin the next download in its completion handler, while this one is on
      // the stack. So may the code that cancels, while the transport still has a chunk.
      part.letGo()
    }
    .eraseToAnyPublisher()
  }

  fileprivate var mixedUp: any Error {
    let error = RESTError(
      .malformedResponse,
      reason: "the server answered with another part of the file than was requested",
      remedy: "Try again later: the server, or a cache before it, mixes up ranges.",
      request: RequestSummary(request))
    return plan.scopedCall.map { error.recorded(in: $0.journal) } ?? error
  }

  /// One request for the missing bytes.
  fileprivate var exchange: AnyPublisher<DownloadEvent, any Error> {
    Deferred {
      let refusal = ResponseCollector(
        request: RequestSummary(request), limits: plan.transport.limits,
        journal: plan.scopedCall?.journal)
      return plan.events(for: part.request(from: request), body: nil)
        .through(
          RefusedResponseTail(refusal, toleratesCut: true) { head in
            switch head.statusCode {
            case 200, 206:
              plan.binding?.isRefused(
                by: RESTResponse(head: head, data: Data(), request: RequestSummary(request)))
                ?? false
            // The range begins after the current end of the file. `DownloadTail` handles this case.
            case 416: !part.isResumable
            case 304: !part.isComplete
            default: true
            }
          }
        )
        .through(DownloadTail(part: part, journal: plan.scopedCall?.journal))
    }
    .eraseToAnyPublisher()
  }
}

/// Decides what follows a request of a download.
private struct DownloadRule: RelayRule {
  let download: Download
  /// Whether a part was discarded in this call.
  var hasBegunAnew = false

  func successor(of value: inout DownloadEvent) -> RelayLeg<Self>? { nil }

  func successor(after end: Subscribers.Completion<any Error>) throws -> RelayLeg<Self>? {
    guard case .failure(let error) = end else { return nil }
    // Each range has a byte at least, so this comes to an end.
    if error is ContinuedFile { return RelayLeg(download.exchange, rule: self) }
    guard let mismatch = error as? PartialFileMismatch else { return nil }
    guard !hasBegunAnew else { throw download.mixedUp }
    download.plan.scopedCall?.journal.record(.beganAnew(because: "\(mismatch)"))
    // With nothing to resume, the next request asks for the whole file.
    try download.part.startOver()
    return RelayLeg(download.exchange, rule: DownloadRule(download: download, hasBegunAnew: true))
  }
}

/// The server has sent a range, and the file goes on behind it.
private struct ContinuedFile: Error {}

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
    guard !part.endRange() else { return .end(.failure(ContinuedFile())) }
    do {
      guard let head = try part.finish() else { return .end(completion) }
      return .value(.finished(head))
    } catch {
      return .end(.failure(error))
    }
  }
}
