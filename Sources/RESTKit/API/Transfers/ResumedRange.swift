import Foundation
import Streams

/// Checks that a response begins where a stream has to continue (RFC 9110 §14.2), in the same
/// version: a server may ignore a `Range` and send the whole content again, and an `If-Range` and
/// send a part of another version.
struct ResumedRange: Publishers.Tail {
  let place: Resumption
  let request: RequestSummary
  let journal: CallJournal?
  private let now: @Sendable () -> ContinuousClock.Instant
  /// The end of the time for the body of a 416 that says that no byte is missing; nil for another
  /// response.
  private var end: ContinuousClock.Instant?

  /// The time that such a body may take, so that its connection can be used again.
  private static let limit = Duration.seconds(10)

  init(
    place: Resumption, request: RequestSummary, journal: CallJournal?,
    now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
  ) {
    self.place = place
    self.request = request
    self.journal = journal
    self.now = now
  }

  /// - Throws: `RESTError` if the response begins elsewhere.
  mutating func receive(
    _ event: TransferEvent
  ) throws(any Error) -> Publishers.StageStep<TransferEvent> {
    if let end { return end <= now() ? .finish : .skip }
    guard case .head(let head) = event else { return .pass(event) }
    switch check(head) {
    case .continuation: return .pass(event)
    case .beginning:
      var head = head
      head.beginsAgain = true
      return .pass(.head(head))
    case .nothingNew:
      end = now() + Self.limit
      return .skip
    case .mismatch(let error):
      throw journal.map { error.recorded(in: $0) } ?? error
    }
  }

  func end(
    _ completion: Subscribers.Completion<any Error>
  ) -> Publishers.TailEnd<TransferEvent, any Error> {
    // The head has said everything.
    .end(end == nil ? completion : .finished)
  }

  private enum Finding {
    case continuation
    case beginning
    case nothingNew
    case mismatch(RESTError)
  }

  private func check(_ head: ResponseHead) -> Finding {
    guard case .part(let asked) = place else {
      return 200...299 ~= head.statusCode ? .beginning : .continuation
    }
    return switch head.statusCode {
    case 206: mismatch(in: head, asked).map { .mismatch($0) } ?? .continuation
    case 204: .continuation
    case 200...299: whole(head, asked)
    case 416: unsatisfied(head, asked)
    default: .continuation
    }
  }

  // MARK: A part

  private func mismatch(in head: ResponseHead, _ asked: RangeQuery) -> RESTError? {
    if let error = otherVersion(in: head, asked) { return error }
    // The start of a range in another unit, or of the last bytes, is not known here.
    guard let first = asked.first else { return nil }
    let field = head.headers["Content-Range"]
    guard ContentRange(field ?? "")?.first != first else { return nil }
    return RESTError(
      .malformedResponse,
      reason: "the stream cannot resume: the requested part begins at byte \(first), but its "
        + "Content-Range \(field == nil ? "is missing" : "begins elsewhere")",
      remedy: "Check what the server, or a cache before it, does with the Range of the request.",
      request: request, head: head, body: nil)
  }

  /// The error of a part that may belong to another version (RFC 9110 §15.3.7.3).
  private func otherVersion(in head: ResponseHead, _ asked: RangeQuery) -> RESTError? {
    guard let version = asked.version else { return nil }
    let tag = head.headers["ETag"]
    guard tag?.isSameTag(as: version) != true else { return nil }
    return RESTError(
      .malformedResponse,
      reason: "the stream cannot resume: the requested part "
        + (tag == nil
          ? "has no ETag, unlike the first response" : "is of another version of the content"),
      remedy: Self.remedy, request: request, head: head, body: nil,
      underlyingError: replacement(asked))
  }

  // MARK: The whole content

  private func whole(_ head: ResponseHead, _ asked: RangeQuery) -> Finding {
    guard ContentRange.isOfWhole(head) else {
      return .mismatch(
        RESTError(
          .malformedResponse,
          reason: "the stream cannot resume: the server answered \(head.statusCode) with the "
            + "Content-Range of a part",
          remedy: "Have the server answer a Range with 206, or without a Content-Range.",
          request: request, head: head, body: nil))
    }
    guard asked.first != 0 else { return .continuation }
    // The server answers a condition that does not hold with the whole content (RFC 9110 §13.1.5).
    let isReplaced =
      asked.condition.map { head.headers["ETag"]?.isSameTag(as: $0) != true } ?? false
    guard !isReplaced || asked.replaced == .fail else { return .beginning }
    return .mismatch(
      RESTError(
        .status(head.statusCode),
        reason: "the stream cannot resume: the request had a Range, but the server answered "
          + "\(head.statusCode) with the whole content"
          + (isReplaced ? ", which may be another version" : ""),
        remedy: isReplaced
          ? Self.remedy
          : "Resume in a way the server supports, or start again without retry(_:resume:).",
        request: request, head: head, body: nil,
        underlyingError: isReplaced ? replacement(asked) : nil))
  }

  // MARK: No byte behind the place

  private func unsatisfied(_ head: ResponseHead, _ asked: RangeQuery) -> Finding {
    guard let first = asked.first,
      let length = ContentRange.length(unsatisfied: head.headers["Content-Range"] ?? ""),
      length <= first
    else { return .continuation }
    let isOther = asked.version.flatMap { version in
      head.headers["ETag"].map { !$0.isSameTag(as: version) }
    }
    guard length < first || isOther == true else { return .nothingNew }
    return .mismatch(
      RESTError(
        .status(head.statusCode),
        reason: "the stream cannot resume: \(first) bytes were delivered, but the content "
          + (length < first ? "has only \(length)" : "is of another version"),
        remedy: Self.remedy, request: request, head: head, body: nil,
        underlyingError: replacement(asked)))
  }

  private func replacement(_ asked: RangeQuery) -> ContentReplacedError {
    ContentReplacedError(offset: asked.first ?? 0)
  }

  private static let remedy =
    "Start again, or pass ifReplaced: .beginAgain: the content has probably changed since the "
    + "first response. If a file grows and its ETag changes with it, pass version: .length."
}
