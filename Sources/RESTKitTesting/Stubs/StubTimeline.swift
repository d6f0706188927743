import Foundation
import RESTKit
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The parts of a response that a client receives, and their times: up to the end, or until the
/// request's time is over.
struct StubTimeline: Sendable {
  /// The time that a request's `timeoutInterval` limits.
  enum Limit {
    /// The whole exchange.
    case exchange
    /// Each time without a byte.
    case silence
  }

  struct Part: Sendable {
    /// The time since the previous part.
    let wait: Duration
    let event: TransferEvent
  }

  /// The duration of a stall if the request has no limit, because a test must end.
  static let patience = Duration.seconds(60)

  private(set) var parts: [Part] = []
  /// The time since the last part.
  private(set) var endWait = Duration.zero
  /// Whether it ends because the server falls silent.
  private(set) var endsInSilence = false
  /// The head of the whole response, or the failure.
  var end: Result<ResponseHead, any Error> {
    knownEnd ?? .failure(PlayedExchange.refusal(of: request))
  }

  /// Nil for a request without a URL, so that other requests do not make its failure.
  private var knownEnd: Result<ResponseHead, any Error>?
  private let request: URLRequest
  private let limit: (kind: Limit, time: Duration?)
  /// The used part of the limit.
  private var spent = Duration.zero

  /// Creates the timeline of a stub's exchange.
  ///
  /// - Parameter limits: The limits on the size of the response.
  init(of played: PlayedExchange, within limit: Limit, limits: TransportLimits) {
    request = played.request
    self.limit = (limit, played.request.timeLimit)
    // A recorded response was decoded when it was recorded.
    play(
      played.play,
      through: played.step.recorded == nil
        ? StubIntake(request, limits: limits, isCollected: limit == .exchange) : nil)
  }

  /// Creates the timeline of a recorded response whose head arrives at once.
  ///
  /// - Parameter limits: The limits on the size of the response.
  init(
    of request: URLRequest, _ head: ResponseHead, _ flow: StubFlow, within limit: Limit,
    limits: TransportLimits
  ) {
    self.request = request
    self.limit = (limit, request.timeLimit)
    noteSent()
    let intake = StubIntake(
      request, limits: limits, isCollected: limit == .exchange, isDecoded: true)
    play(head, flow, through: intake) { _ in .zero }
  }

  /// The time from the beginning to the end.
  var duration: Duration { parts.reduce(endWait) { $0 + $1.wait } }

  /// The whole response.
  var response: Result<RESTResponse, any Error> {
    end.map { RESTResponse(head: $0, data: data, request: RequestSummary(request)) }
  }

  /// The bytes of the body.
  private var data: Data {
    var data = Data()
    for case .chunk(let chunk) in parts.lazy.map(\.event) {
      // The first chunk is not copied, because most bodies have no other.
      if data.isEmpty { data = chunk } else { data.append(chunk) }
    }
    return data
  }

  /// What a client that takes the response as a whole has of it; nil before the head.
  private var arrived: (head: ResponseHead, data: Data)? {
    guard limit.kind == .exchange else { return nil }
    for case .head(let head) in parts.lazy.map(\.event) { return (head, data) }
    return nil
  }

  private mutating func play(_ play: StubPlay, through intake: StubIntake?) {
    // Not taken out of its object, which would copy all of it.
    let status = play.step.statusCode
    if play.step.sendsBody { noteSent() }
    guard pass(max(play.step.delay, .zero)) else { return fail(.stall, status: status) }
    switch play.step.result {
    case .failure(StubFault.stall): return stall(.stall, status: status)
    case .failure(let fault as StubFault) where !fault.isInBody:
      return fail(fault, status: status)
    case .failure(let fault as TransportError): return fail(fault)
    case .failure(let error) where play.step.fault == nil:
      knownEnd = .failure(error)
    default:
      guard let url = request.url else { return }
      let head = ResponseHead(
        url: url, statusCode: status, headers: play.step.headers(for: request).asReceived)
      self.play(head, play.step.flow(for: request), through: intake) { play.step.time(for: $0) }
    }
  }

  private mutating func play(
    _ head: ResponseHead, _ flow: StubFlow, through intake: StubIntake?, time: (Int) -> Duration
  ) {
    do throws(TransportError) {
      try arrive(head, flow, through: intake, time: time)
    } catch {
      fail(error)
    }
  }

  /// - Throws: The fault of a response that breaks a rule of the engines.
  private mutating func arrive(
    _ head: ResponseHead, _ flow: StubFlow, through intake: StubIntake?, time: (Int) -> Duration
  ) throws(TransportError) {
    var intake = intake
    try intake?.take(head)
    append(.head(head))
    knownEnd = .success(head)
    for piece in flow.pieces {
      let bytes = piece.data.count
      let silence = piece.wait + (bytes > 0 ? time(1) : .zero)
      guard pass(piece.wait + time(bytes), silence: silence) else {
        return fail(.stallInBody, status: head.statusCode)
      }
      guard bytes > 0 else { continue }
      let data = try intake?.take(piece.data) ?? piece.data
      if data.isEmpty { noteActivity() } else { append(.chunk(data)) }
    }
    switch flow.recordedEnd {
    case .failure(let fault)?: fail(fault)
    case .open?: stall(.stallInBody, status: head.statusCode)
    case .complete?: break
    case nil where flow.end == .complete:
      let data = try intake?.finish() ?? Data()
      if !data.isEmpty { append(.chunk(data)) }
    case nil: play(flow.end, status: head.statusCode)
    }
  }

  /// Notes that the request's body was sent.
  private mutating func noteSent() {
    guard let count = request.httpBody.map({ Int64($0.count) }), count > 0 else { return }
    append(.sent(TransferProgress(completedBytes: count, totalBytes: count)))
  }

  /// Notes that bytes have arrived, which end a silence.
  private mutating func noteActivity() {
    if limit.kind == .silence { spent = .zero }
  }

  private mutating func play(_ end: BodyEnd, status: Int) {
    switch end.fault {
    case nil: break
    case .stallInBody?: stall(.stallInBody, status: status)
    case let fault?: fail(fault, status: status)
    }
  }

  /// Lets time pass, up to the limit of the request.
  ///
  /// - Returns: Whether the limit is not exceeded.
  private mutating func pass(_ wait: Duration, silence: Duration? = nil) -> Bool {
    let cost = limit.kind == .silence ? silence ?? wait : wait
    if let time = limit.time, spent + cost > time {
      endWait += time - spent
      return false
    }
    spent += cost
    endWait += wait
    return true
  }

  private mutating func append(_ event: TransferEvent) {
    parts.append(Part(wait: endWait, event: event))
    endWait = .zero
    noteActivity()
  }

  /// Ends the timeline in silence.
  private mutating func stall(_ fault: StubFault, status: Int) {
    endsInSilence = true
    endWait += limit.time.map { $0 - spent } ?? Self.patience
    fail(fault, status: status)
  }

  private mutating func fail(_ fault: StubFault, status: Int) {
    fail(fault.transportFault(status: status))
  }

  /// Ends the timeline with a fault, beside the head and the part of the body that have arrived.
  private mutating func fail(_ fault: TransportError) {
    let arrived = arrived
    knownEnd = .failure(
      RESTError(
        fault, request: RequestSummary(request), head: arrived?.head, body: arrived?.data))
  }
}
