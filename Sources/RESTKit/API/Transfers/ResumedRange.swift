import Foundation
import Streams

/// Checks that a response begins where a stream has to continue (RFC 9110 §14.2): a server may ignore a
/// `Range` and send the whole content again.
struct ResumedRange: Publishers.Stage {
  /// The value of `Range`.
  let asked: String
  let request: RequestSummary
  let journal: CallJournal?

  /// - Throws: `RESTError` if the response begins elsewhere.
  func receive(_ event: TransferEvent) throws(any Error) -> Publishers.StageStep<TransferEvent> {
    if case .head(let head) = event, let error = mismatch(in: head) {
      throw journal.map { error.recorded(in: $0) } ?? error
    }
    return .pass(event)
  }

  /// The first requested byte; nil if the range is not an open or closed range of bytes with a start.
  private var first: Int64? {
    guard asked.prefix(6).lowercased() == "bytes=", !asked.contains(",") else { return nil }
    return asked.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false).first
      .flatMap { $0.isEmpty ? nil : Int64(digits: $0) }
  }

  private func mismatch(in head: ResponseHead) -> RESTError? {
    switch head.statusCode {
    case 206:
      // The start of a range in another unit, or of the last bytes, is not known here.
      guard let first else { return nil }
      let field = head.headers["Content-Range"]
      guard ContentRange(field ?? "")?.first != first else { return nil }
      return RESTError(
        .malformedResponse,
        reason: "the stream cannot resume: the requested part begins at byte \(first), but its "
          + "Content-Range \(field == nil ? "is missing" : "begins elsewhere")",
        remedy: "Check what the server, or a cache before it, does with the Range of the request.",
        request: request, head: head, body: nil)
    case 204: return nil
    case 200...299:
      guard first != 0 else { return nil }
      return RESTError(
        .status(head.statusCode),
        reason: "the stream cannot resume: the request had a Range, but the server answered "
          + "\(head.statusCode) with the whole content",
        remedy: "Resume in a way the server supports, or start again without retry(_:resume:).",
        request: request, head: head, body: nil)
    default: return nil
    }
  }
}
