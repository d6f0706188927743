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
/// A request gets the first entry that is left with its method and URL; so a `GET /me` that was first
/// answered with 401 and, after a refresh, with 200 is so again. A hidden value in a recorded query
/// is equal to any. Headers and bodies of requests are not compared. What a cache answered while it was recorded
/// (`_fromCache`) may be asked for, and need not.
///
/// A whole response comes at once. ``events(for:body:)`` gives a body in pieces where that is asked for.
public final class HARReplay: Transport {
  private struct State {
    var entries: [HAREntry]
    var unmatched: [HARReplayError] = []
  }

  private let state: Lock<State>
  private let pieces: HARPieces
  private let scheduler: any Scheduler

  /// - Parameters:
  ///   - har: What was recorded.
  ///   - pieces: How bodies are divided for who takes them in pieces.
  ///   - scheduler: What the pieces wait on; a `TestScheduler` for virtual time. By default there is no
  ///     waiting.
  public init(
    _ har: HAR, pieces: HARPieces = .whole, scheduler: any Scheduler = .immediate
  ) {
    state = Lock(State(entries: har.entries))
    self.pieces = pieces
    self.scheduler = scheduler
  }

  /// What nobody asked for so far, in order; without what was never sent, since a cache had it.
  public var unusedEntries: [HAREntry] {
    state.withLock { $0.entries.filter { !$0.isFromCache } }
  }

  /// Says what did not go as it was recorded: requests without an entry, and entries that nobody
  /// asked for.
  ///
  /// Call it at the end of a test.
  ///
  /// - Throws: ``HARReplayError``, the first one.
  public func verify() throws(HARReplayError) {
    if let unmatched = state.withLock({ $0.unmatched.first }) { throw unmatched }
    let unused = unusedEntries
    if !unused.isEmpty { throw .unused(unused) }
  }

  /// The recorded response.
  ///
  /// Without one the exchange fails with ``HARReplayError``; where the recorded exchange failed, with
  /// the same kind of `RESTError`. A browser's recording does not tell it: then it is
  /// `TransportError.Kind.other(code: 0)`.
  public func response(for request: URLRequest) -> AnyPublisher<RESTResponse, any Error> {
    Deferred { [self] in
      Result { () throws(any Error) in try take(for: request).response(to: request) }.publisher
    }
    .eraseToAnyPublisher()
  }

  /// The recorded response in pieces, never more than are asked for.
  ///
  /// It fails as ``response(for:)`` does. The request's `timeoutInterval` is the time that may pass
  /// between two pieces, on the scheduler.
  public func events(
    for request: URLRequest, body: RequestBody?
  ) -> AnyPublisher<TransferEvent, any Error> {
    request.collecting(body) { [self] request in
      Deferred { [self] in
        Result { () throws(any Error) in try timeline(of: request) }.publisher
      }
      .flatMap { [scheduler] in StubPlayback(timeline: $0, scheduler: scheduler, silence: scheduler)
      }
      .eraseToAnyPublisher()
    }
  }

  private func timeline(of request: URLRequest) throws -> StubTimeline {
    let entry = try take(for: request)
    let response = try entry.response(to: request)
    let flow = StubFlow(pieces: pieces.divided(response.data, of: entry), end: .complete)
    return StubTimeline(of: request, response.head, flow, within: .silence)
  }

  private func take(for request: URLRequest) throws(HARReplayError) -> HAREntry {
    let entry: Result<HAREntry, HARReplayError> = state.withLock { state in
      guard let place = state.entries.firstIndex(where: { $0.isAnswer(to: request) }) else {
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
  fileprivate func isAnswer(to request: URLRequest) -> Bool {
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

  fileprivate func response(to request: URLRequest) throws -> RESTResponse {
    let summary = RequestSummary(request)
    guard statusCode != 0, let url = request.url else {
      let unknown = TransportError(
        kind: .other(code: 0), detail: "the recorded exchange failed, too",
        mayHaveBeenProcessed: true)
      throw RESTError(fault ?? unknown, request: summary)
    }
    let head = ResponseHead(url: url, statusCode: statusCode, headers: headers)
    return RESTResponse(head: head, data: body, request: summary)
  }
}
