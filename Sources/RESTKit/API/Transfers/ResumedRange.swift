import Foundation
import Streams

/// Sees to it that an answer begins where a stream was to go on (RFC 9110 §14.2): a server may pass over a
/// `Range`, and then all of it comes once more.
struct ResumedRange: Publishers.Stage {
  /// The value of `Range`.
  let asked: String
  let request: RequestSummary
  let journal: CallJournal?

  /// - Throws: `RESTError` where it begins elsewhere.
  func receive(_ event: TransferEvent) throws(any Error) -> Publishers.StageStep<TransferEvent> {
    if case .head(let head) = event, let error = mismatch(in: head) {
      throw journal.map { error.recorded(in: $0) } ?? error
    }
    return .pass(event)
  }

  /// The first byte that was asked for; nil where the range is none of bytes from there on.
  private var first: Int64? {
    guard asked.prefix(6).lowercased() == "bytes=", !asked.contains(",") else { return nil }
    return asked.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false).first
      .flatMap { $0.isEmpty ? nil : Int64(digits: $0) }
  }

  private func mismatch(in head: ResponseHead) -> RESTError? {
    switch head.statusCode {
    case 206:
      // Of a range of another unit, or of the last bytes, nobody here knows where it begins.
      guard let first else { return nil }
      let field = head.headers["Content-Range"]
      guard ContentRange(field ?? "")?.first != first else { return nil }
      return RESTError(
        .malformedResponse,
        reason: "the stream cannot go on: the part was to begin at byte \(first), and its "
          + "Content-Range \(field == nil ? "is missing" : "says another place")",
        remedy: "Check what the server, or a cache before it, does with the Range of the request.",
        request: request, head: head, body: nil)
    case 204: return nil
    case 200...299:
      guard first != 0 else { return nil }
      return RESTError(
        .status(head.statusCode),
        reason: "the stream cannot go on: a Range was asked for, and the server answered "
          + "\(head.statusCode), with all of it",
        remedy: "Go on in a way that the server knows, or begin anew without retry(_:resume:).",
        request: request, head: head, body: nil)
    default: return nil
    }
  }
}
