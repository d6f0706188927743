import Foundation
import HTTPWire
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The state of one task.
struct URLSessionRecord {
  let call: EngineCall
  let task: URLSessionStarter
  let message: URLSessionMessage
  /// The buffer for the response in pieces, or nil to collect the response.
  let events: EventBuffer?
  let deadline: URLSessionDeadline?
  let begin = ContinuousClock.now
  var head: HTTPURLResponse?
  /// The time from the beginning to the head.
  var firstByte: Duration?
  var body = Data()
  var bodyLimit: (kind: TransportError.Limit, bytes: Int) = (.bodyBytes, 0)
  var isChallenged = false
  var refusedRepeat = false

  /// The head, once it was found to be valid.
  private(set) var validHead: EngineHead?

  /// Whether the head was added to the buffer.
  private(set) var hasToldHead = false

  init(
    call: EngineCall, task: URLSessionStarter, message: URLSessionMessage,
    events: EventBuffer?, deadline: URLSessionDeadline?
  ) {
    self.call = call
    self.task = task
    self.message = message
    self.events = events
    self.deadline = deadline
  }

  /// An action to run without the lock.
  enum Step {
    case nothing
    case tell(EngineEvent, EventBuffer)
    case fault(TransportError)
  }

  mutating func take(_ head: HTTPURLResponse, _ limits: TransportLimits) -> Step {
    noteActivity()
    self.head = head
    firstByte = .now - begin
    bodyLimit = limits.bodyLimit(status: head.statusCode)
    let engineHead = EngineHead(head)
    let fault = faultOfHead(head, limits) ?? faultOfContent(engineHead)
    if head.statusCode >= 200, fault?.kind.isOfBody ?? true { validHead = engineHead }
    if let fault { return .fault(fault) }
    hasToldHead = events != nil
    return tell(.head(engineHead))
  }

  mutating func take(_ data: Data) -> Step {
    noteActivity()
    if events != nil { return tell(.chunk(data)) }
    guard Int64(body.count) + Int64(data.count) <= Int64(bodyLimit.bytes) else {
      return .fault(faultOfBody)
    }
    body.append(data)
    return .nothing
  }

  mutating func take(sent bytes: Int64) -> Step {
    noteActivity()
    return tell(.sent(bytes))
  }

  private func tell(_ event: EngineEvent) -> Step {
    events.map { .tell(event, $0) } ?? .nothing
  }

  /// Returns the pieces of a response that Foundation gave as a whole: a redirect or a challenge.
  func latePieces(of response: EngineResponse) -> [EngineEvent] {
    guard events != nil, !hasToldHead else { return [] }
    return [.head(response.head)] + (response.body.isEmpty ? [] : [.chunk(response.body)])
  }

  /// The response as far as it is known, if its head has arrived and nothing of it is delivered.
  var known: EngineResponse? { events == nil ? validHead.map { response(with: $0) } : nil }

  func response(with head: EngineHead) -> EngineResponse {
    var timings = ExchangeMetrics()
    let total = .now - begin
    timings.receiving = firstByte.map { total - $0 }
    timings.total = total
    return EngineResponse(head: head, trailers: [:], body: body, timings: timings)
  }

  private func noteActivity() {
    if message.isIdleTimeout { deadline?.restart() }
  }

  /// Returns the fault of a head that is too large, or that announces too large a body.
  ///
  /// A response in pieces has no limit on the whole body.
  func faultOfHead(_ head: HTTPURLResponse, _ limits: TransportLimits) -> TransportError? {
    let headers = EngineHead(head).headers
    var heads = HeadMeter(limits)
    if let limit = heads.take(headers) { return heads.fault(limit, status: head.statusCode) }
    // With an encoding, the length is that of the encoded body, which may be larger.
    guard events == nil, head.expectedContentLength > Int64(bodyLimit.bytes),
      message.request.httpMethod != "HEAD", headers["Content-Encoding"] == nil
    else { return nil }
    return faultOfBody
  }

  /// Returns the fault of a head with forbidden content.
  func faultOfContent(_ head: EngineHead) -> TransportError? {
    URLSessionHead.fault(
      status: head.status, headers: head.headers, method: message.request.httpMethod)
  }

  /// The fault of a body that is too large.
  var faultOfBody: TransportError {
    fault(bodyLimit.kind, "more than \(bodyLimit.bytes) bytes of decoded body")
  }

  /// The fault of a call whose events wait, with more bytes than the limit.
  func faultOfWaiting(_ limits: TransportLimits) -> TransportError {
    fault(
      .bodyBytes,
      "more than \(limits.bodyBytes) bytes arrived before they were requested, and URLSession cannot pause"
    )
  }

  private func fault(_ limit: TransportError.Limit, _ detail: String) -> TransportError {
    .afterSending(.limitExceeded(limit), detail, status: head?.statusCode)
  }
}

extension TransportError.Kind {
  /// Whether such a fault of a head is only about the body that it announces.
  var isOfBody: Bool {
    switch self {
    case .undecodableBody, .limitExceeded(.bodyBytes), .limitExceeded(.errorBodyBytes): true
    default: false
    }
  }
}

/// Checks of a response's head, as far as Foundation shows the head.
enum URLSessionHead {
  /// Returns the fault of the head of a response to a method, or nil if there is none.
  static func fault(status: Int, headers: HTTPHeaders, method: String?) -> TransportError? {
    if let fault = ResponseFraming.fault(of: headers) { return fault }
    if let fault = ResponseFraming.faultOfSwitch(status: status) { return fault }
    // RFC 9110 §5.5.
    guard !headers.contains(where: { $0.value.utf8.contains(0x0D) }) else {
      return ResponseFraming.malformed("the value of a header has a carriage return")
    }
    // A response without a body needs no decoding.
    guard HTTPStatus.allowsBody(status, to: method), headers["Content-Length"] != "0" else {
      return nil
    }
    // Foundation decodes on the queue that all sessions of the process share.
    let most = HTTPHeaders.mostContentCodings
    guard headers.contentCodings.count > most else { return nil }
    return .afterSending(.undecodableBody, "more than \(most) content codings", status: status)
  }
}

/// A task wrapper that keeps `cancel()` and `resume()` apart.
///
/// On Linux a cancel while the task is being resumed can end the process. A cancel that comes too
/// early is repeated after `resume()` has returned.
final class URLSessionStarter: Sendable {
  private enum Stage {
    case new
    case cancelledEarly
    case started
  }

  private let task: URLSessionDataTask
  private let stage = Lock(Stage.new)

  init(_ task: URLSessionDataTask) {
    self.task = task
  }

  /// Starts the task.
  ///
  /// Call it once.
  func start() {
    task.resume()
    let mustCancel = stage.withLock { stage in
      defer { stage = .started }
      return stage == .cancelledEarly
    }
    if mustCancel { task.cancel() }
  }

  /// Cancels the task, now or as soon as it has started.
  func cancel() {
    let mayCancel = stage.withLock { stage in
      if stage == .new { stage = .cancelledEarly }
      return stage == .started
    }
    if mayCancel { task.cancel() }
  }
}
