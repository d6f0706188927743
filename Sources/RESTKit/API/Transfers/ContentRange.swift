import Foundation
import Streams

/// The part of a file that a 206 contains (RFC 9110 §14.4).
struct ContentRange: Equatable {
  let first: Int64
  let last: Int64
  /// The length of the whole file; nil if the server does not know it.
  let total: Int64?

  /// - Parameter field: A value such as `bytes 100-199/1000`.
  /// - Returns: nil for any other value.
  init?(_ field: String) {
    guard field.prefix(6).lowercased() == "bytes " else { return nil }
    let halves = field.dropFirst(6).split(separator: "/", omittingEmptySubsequences: false)
    guard halves.count == 2 else { return nil }
    let ends = halves[0].split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, let first = Int64(digits: ends[0]), let last = Int64(digits: ends[1]),
      first <= last
    else { return nil }
    self.first = first
    self.last = last
    if halves[1] == "*" {
      total = nil
    } else {
      guard let number = Int64(digits: halves[1]), number > last else { return nil }
      total = number
    }
  }

  /// Creates the range of a 206 that contains the missing part of a file.
  ///
  /// Parts are combined only if they have the same strong validator (RFC 9110 §15.3.7.3). A 206 has
  /// the `ETag` that a 200 would have (§15.3.7), also as a response to `If-Range`. A 206 without
  /// `ETag` is not used.
  ///
  /// - Parameters:
  ///   - size: The number of bytes of the part, and so the position of the first missing byte.
  ///   - note: The origin of the bytes; nil if there were none and the whole file was requested.
  init(
    of head: ResponseHead, behind size: Int64, of note: PartialFileNote?
  ) throws(PartialFileMismatch) {
    guard let note else { throw .unasked }
    let type = head.headers["Content-Type"] ?? ""
    guard !type.lowercased().hasPrefix("multipart/byteranges") else { throw .severalParts }
    guard head.headers["Content-Encoding"] == nil else { throw .encoded }
    guard let tag = head.headers["ETag"] else { throw .noVersion }
    guard note.isOf(version: tag) else { throw .otherVersion }
    guard let range = ContentRange(head.headers["Content-Range"] ?? ""), range.first == size else {
      throw .otherRange
    }
    guard let total = range.total ?? note.total else { throw .noTotal }
    guard total == note.total ?? total, range.last < total else { throw .otherTotal }
    guard head.contentLength ?? range.count == range.count else { throw .otherLength }
    self = range
  }

  var count: Int64 { last - first + 1 }
}

/// Checks that a response begins where a stream has to continue (RFC 9110 §14.2), in the same
/// version: a server may ignore a `Range` and send the whole content again, and an `If-Range` and
/// send a part of another version.
struct ResumedRange: Publishers.Stage {
  let asked: RangeQuery
  let request: RequestSummary
  let journal: CallJournal?

  /// - Throws: `RESTError` if the response begins elsewhere.
  func receive(_ event: TransferEvent) throws(any Error) -> Publishers.StageStep<TransferEvent> {
    if case .head(let head) = event, let error = mismatch(in: head) {
      throw journal.map { error.recorded(in: $0) } ?? error
    }
    return .pass(event)
  }

  /// The first requested byte; nil if the range is not an open or closed range of bytes with a
  /// start.
  private var first: Int64? {
    let range = asked.range
    guard range.prefix(6).lowercased() == "bytes=", !range.contains(",") else { return nil }
    return range.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false).first
      .flatMap { $0.isEmpty ? nil : Int64(digits: $0) }
  }

  private func mismatch(in head: ResponseHead) -> RESTError? {
    switch head.statusCode {
    case 206:
      if let error = otherVersion(in: head) { return error }
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
          + "\(head.statusCode) with the whole content"
          + (asked.version == nil ? "" : ", which may be another version"),
        remedy: "Resume in a way the server supports, or start again without retry(_:resume:).",
        request: request, head: head, body: nil)
    default: return nil
    }
  }

  /// The error of a part that may belong to another version (RFC 9110 §15.3.7.3).
  private func otherVersion(in head: ResponseHead) -> RESTError? {
    guard let version = asked.version else { return nil }
    let tag = head.headers["ETag"]
    guard tag?.isSameTag(as: version) != true else { return nil }
    return RESTError(
      .malformedResponse,
      reason: "the stream cannot resume: the requested part "
        + (tag == nil
          ? "has no ETag, unlike the first response" : "is of another version of the content"),
      remedy: "Start again: the content has probably changed since the first response.",
      request: request, head: head, body: nil)
  }
}
