import Foundation
import RESTKit
import RESTKitReports
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A transport that answers from recorded traffic, each entry once and in order.
///
/// ```swift
/// let replay = HARReplay(try HAR(contentsOf: file))
/// let api = ShopAPI(transport: replay)
/// // … calls …
/// try replay.verify()
/// ```
///
/// A request gets the first remaining entry with its method and URL. So if a `GET /me` was first
/// answered with 401 and, after a refresh, with 200, it gets both responses in this order again. A
/// hidden value in a recorded query matches any value. Headers and bodies of requests are not
/// compared. Entries that came from a cache (`_fromCache`) may remain unused.
///
/// A request that no transport sends is refused, and uses no entry. A response that no transport
/// gives is a fault, as there: one over the ``limits``, or with a status that is no final one. A
/// recorded body is decoded already, and is not decoded again.
///
/// A whole response arrives at once. ``events(for:body:)`` delivers a body in pieces.
public final class HARReplay: Transport {
  private struct State {
    var entries: [HAREntry]
    var unmatched: [HARReplayError] = []
  }

  private let state: Lock<State>
  private let pieces: HARPieces
  private let scheduler: any Scheduler

  /// The limits on the size of a response.
  public let limits: TransportLimits

  /// - Parameters:
  ///   - har: The recorded traffic.
  ///   - pieces: The way in which bodies are divided for a response in pieces.
  ///   - limits: The limits on the size of a response, as those of the transports that use sockets.
  ///   - scheduler: The scheduler of the pieces' waits, such as a `TestScheduler` for virtual time.
  ///     By default there are no waits, or in a test on virtual time they pass on its command.
  public init(
    _ har: HAR, pieces: HARPieces = .whole, limits: TransportLimits = TransportLimits(),
    scheduler: any Scheduler = StandardTime.scheduler(else: .immediate)
  ) {
    state = Lock(State(entries: har.entries))
    self.pieces = pieces
    self.limits = limits
    self.scheduler = scheduler
  }

  /// The entries that were not used so far, in order, without those that came from a cache.
  public var unusedEntries: [HAREntry] {
    state.withLock { $0.entries.filter { !$0.isFromCache } }
  }

  /// Throws if the calls differ from the recording: a request without an entry, or an unused entry.
  ///
  /// Call it at the end of a test.
  ///
  /// - Throws: The first ``HARReplayError``.
  public func verify() throws(HARReplayError) {
    if let unmatched = state.withLock({ $0.unmatched.first }) { throw unmatched }
    let unused = unusedEntries
    if !unused.isEmpty { throw .unused(unused) }
  }

  /// Returns the recorded response.
  ///
  /// Without a recorded response the exchange fails with a ``HARReplayError``. If the recorded
  /// exchange failed, the call fails with the same kind of `RESTError`. A browser's recording does
  /// not contain the kind, which is then `TransportError.Kind.other(code: 0)`.
  public func response(for request: URLRequest) -> AnyPublisher<RESTResponse, any Error> {
    Deferred { [self] in
      Result { () throws(any Error) in
        try request.validate()
        return try timeline(of: request, within: .exchange).response.get()
      }.publisher
    }
    .eraseToAnyPublisher()
  }

  /// Returns the recorded response in pieces, never more than the demand.
  ///
  /// It fails as ``response(for:)`` does. The request's `timeoutInterval` limits the time between
  /// two pieces, on the scheduler.
  public func events(
    for request: URLRequest, body: RequestBody?
  ) -> AnyPublisher<TransferEvent, any Error> {
    Deferred { [self] in
      do {
        try request.validate(with: body)
        return request.collecting(body, clock: scheduler) { [self] in pieces(for: $0) }
      } catch {
        return Fail(error: error).eraseToAnyPublisher()
      }
    }
    .eraseToAnyPublisher()
  }

  /// - Parameter request: A request that has its body.
  private func pieces(for request: URLRequest) -> AnyPublisher<TransferEvent, any Error> {
    Deferred { [self] in
      Result { () throws(any Error) in
        try request.validate()
        return try timeline(of: request, within: .silence)
      }.publisher
    }
    .flatMap { [scheduler] in
      StubPlayback(timeline: $0, scheduler: scheduler, silence: scheduler)
    }
    .eraseToAnyPublisher()
  }

  private func timeline(
    of request: URLRequest, within limit: StubTimeline.Limit
  ) throws -> StubTimeline {
    let entry = try take(for: request)
    let (head, body) = try entry.response(to: request)
    let divided =
      switch limit {
      case .exchange: StubPiece.pieces(of: body)
      case .silence: pieces.divided(body, of: entry)
      }
    return StubTimeline(
      of: request, head, StubFlow(pieces: divided, end: .complete), within: limit, limits: limits)
  }

  private func take(for request: URLRequest) throws(HARReplayError) -> HAREntry {
    let entry: Result<HAREntry, HARReplayError> = state.withLock { state in
      guard let place = state.entries.firstIndex(where: { $0.isResponse(to: request) }) else {
        let error = HARReplayError.unmatched(RequestSummary(request), left: state.entries)
        state.unmatched.append(error)
        return .failure(error)
      }
      return .success(state.entries.remove(at: place))
    }
    return try entry.get()
  }
}

extension HAREntry {
  fileprivate func isResponse(to request: URLRequest) -> Bool {
    guard let url = request.url, self.request == RequestSummary(request) else { return false }
    let recorded = Self.items(self.url)
    let sent = Self.items(url)
    return recorded.count == sent.count && zip(recorded, sent).allSatisfy(Self.isMatch)
  }

  private static func items(_ url: URL) -> [Substring] {
    let text = url.absoluteString.prefix { $0 != "#" }
    guard let mark = text.firstIndex(of: "?") else { return [] }
    return text[mark...].dropFirst().split(separator: "&", omittingEmptySubsequences: false)
  }

  private static func isMatch(_ recorded: Substring, _ sent: Substring) -> Bool {
    if recorded == sent || recorded == Redaction.markInURL { return true }
    guard recorded.hasSuffix("=\(Redaction.markInURL)") else { return false }
    return sent.hasPrefix(recorded.dropLast(Redaction.markInURL.count))
  }

  /// Returns the head and the body of the response (RFC 9110 §6.4.1).
  fileprivate func response(to request: URLRequest) throws -> (head: ResponseHead, body: Data) {
    let summary = RequestSummary(request)
    guard statusCode != 0, let url = request.url else {
      let unknown = TransportError(
        kind: .other(code: 0), detail: "the recorded exchange failed, too",
        mayHaveBeenProcessed: true)
      throw RESTError(fault ?? unknown, request: summary)
    }
    guard 200...999 ~= statusCode else {
      let fault = TransportError(
        kind: .malformedResponse, detail: "the recorded status \(statusCode) is not a final one",
        mayHaveBeenProcessed: true)
      throw RESTError(fault, request: summary)
    }
    let head = ResponseHead(
      url: url, statusCode: statusCode, headers: responseHeaders.asReceived)
    let hasBody = HTTPStatus.allowsBody(statusCode, to: request.httpMethod)
    return (head, hasBody ? responseBody : Data())
  }
}
