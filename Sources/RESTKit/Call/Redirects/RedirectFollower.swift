import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Sends a request and follows its redirects, at most ten, in the same way on every transport.
struct RedirectFollower: Sendable {
  static let maximumHops = 10

  let transport: any Transport
  let rules: RedirectRules
  /// The part of the call that counts and records the exchanges, if there is one.
  var call: CallPart?
  /// The instruments' work for the exchanges; nil without instruments.
  var instrumentation: ExchangeInstrumentation?
  /// The seat that may provide complete responses in place of the transport, if there is one.
  var seat: CallSeat?
  /// The gate that decides when exchanges may begin, if there is one.
  var gate: CallGate?
  /// The clock for the time that redirects take from a request's time-out.
  var now: @Sendable () -> ContinuousClock.Instant = { .now }

  /// Returns the response, to be subscribed to once and at once: the call counts the request now.
  ///
  /// The request's time-out covers all redirects. Each gets the remaining time.
  func response(for request: URLRequest) -> AnyPublisher<RESTResponse, any Error> {
    Relay(RedirectHop(WholeExchange(), of: request, body: nil, follower: self).leave())
      .eraseToAnyPublisher()
  }

  /// Returns the exchange in pieces.
  ///
  /// Before a redirect, it delivers only the progress of the sent body.
  ///
  /// The time-out applies to each silence, and so to each redirect separately.
  func events(
    for request: URLRequest, body: RequestBody?
  ) -> AnyPublisher<TransferEvent, any Error> {
    Deferred {
      Relay(RedirectHop(ExchangeInPieces(), of: request, body: body, follower: self).leave())
    }
    .eraseToAnyPublisher()
  }

  /// - Parameter visited: The requests that were redirected, first to last.
  fileprivate func next(
    after response: RESTResponse, to request: URLRequest, visited: [RequestSummary]
  ) throws(RESTError) -> URLRequest? {
    guard let next = try rules.next(after: response, to: request) else { return nil }
    guard visited.count < Self.maximumHops else {
      throw RedirectRules.refusal(
        response, Self.account(of: visited + [RequestSummary(request)], to: RequestSummary(next)),
        remedy: "Report the redirects to the server's operators.")
    }
    call?.journal.record(
      .redirected(
        to: RequestSummary(next), droppedHeaders: request.headerNames(missingIn: next)))
    return next
  }

  /// Limits the time of a redirected request to the remaining time of the request before it.
  ///
  /// - Parameters:
  ///   - begin: The time at which that request was sent.
  ///   - response: The redirect.
  /// - Throws: `RESTError` of kind `transport(.timedOut)` if no time is left.
  fileprivate func shortenTime(
    of next: inout URLRequest, since begin: ContinuousClock.Instant, after response: RESTResponse
  ) throws(RESTError) {
    guard next.timeLimit != nil else { return }
    let left = next.timeoutInterval - begin.duration(to: now()).timeInterval
    guard left > 0 else {
      let fault = TransportError.afterSending(
        .timedOut, "redirects took all of it", status: response.statusCode)
      throw RESTError(fault, request: response.request)
    }
    next.timeoutInterval = left
  }

  /// Returns a description of too many redirects, with the locations of a loop if there is one.
  ///
  /// A loop is only searched for at the limit: a server may redirect to the same location until its
  /// content is ready.
  private static func account(of visited: [RequestSummary], to next: RequestSummary) -> String {
    guard let start = visited.lastIndex(of: next) else {
      return "redirected more than \(maximumHops) times, last to \(next.location)"
    }
    let loop = (visited[start...] + [next]).map(\.location).joined(separator: " → ")
    return "redirected more than \(maximumHops) times, in a loop: \(loop)"
  }
}

/// One request on the way to a response.
final class RedirectHop<Exchange: RedirectedExchange>: RelayRule {
  let request: URLRequest
  private let exchange: Exchange
  private let body: RequestBody?
  private let visited: [RequestSummary]
  private let follower: RedirectFollower
  /// The beginning of the request's time.
  ///
  /// A wait at the gate does not count.
  private let begin: Lock<ContinuousClock.Instant>
  /// The entry for stages that may repeat the request; nil if there are none.
  private let sent: SentRequest?

  /// - Parameters:
  ///   - body: The body that is sent outside the request.
  ///   - visited: The requests that were redirected, first to last.
  init(
    _ exchange: Exchange, of request: URLRequest, body: RequestBody?,
    after visited: [RequestSummary] = [], follower: RedirectFollower
  ) {
    self.exchange = exchange
    self.request = request
    self.body = body
    self.visited = visited
    self.follower = follower
    begin = Lock(follower.now())
    sent = follower.call?.ledger.map { _ in SentRequest(request, body: body) }
  }

  /// Returns the source of the response.
  ///
  /// The request is counted when that begins.
  func leave() -> RelayLeg<RedirectHop> {
    let outputs = follower.seat.flatMap { exchange.outputs(of: self, by: $0.seat) } ?? own()
    guard isRedirected else { return RelayLeg(outputs, rule: self) }
    return RelayLeg(
      outputs.context(CallOrigin.Key.self, .redirect).eraseToAnyPublisher(), rule: self)
  }

  private var isRedirected: Bool { !visited.isEmpty }

  /// Returns an exchange of its own.
  ///
  /// It is counted and recorded now, or when its gate lets it begin.
  fileprivate func own(
    adding fields: [HTTPHeaders.Element] = []
  ) -> AnyPublisher<Exchange.Output, any Error> {
    guard let gate = follower.gate, let url = request.url, Origin(url) == gate.origin else {
      return send(with: fields)
    }
    let gated = GatedRequest(
      summary: RequestSummary(request), deadline: gate.deadline, journal: follower.call?.journal)
    return gate.gate.outputs(of: gated) { [self] pass in
      let now = follower.now()
      begin.withLock { $0 = now }
      return send(with: fields).handleEvents(receiveOutput: { [exchange] output in
        if let head = exchange.head(of: output) { gate.gate.note(head, answering: pass) }
      }).eraseToAnyPublisher()
    }
  }

  private func send(
    with fields: [HTTPHeaders.Element]
  ) -> AnyPublisher<Exchange.Output, any Error> {
    let sending = follower.call?.beginExchange(sent, isRedirected: isRedirected)
    let request = request.adding(fields)
    guard let instrumentation = follower.instrumentation, let sending else {
      return exchange.outputs(for: request, body: body, follower: follower)
    }
    return Deferred { [exchange, body, follower] in
      var request = request
      let run = instrumentation.begin(&request, as: sending)
      return exchange.outputs(
        exchange.outputs(for: request, body: body, follower: follower), ending: run)
    }
    .eraseToAnyPublisher()
  }

  func successor(of output: inout Exchange.Output) throws -> RelayLeg<RedirectHop>? {
    let journal = follower.call?.journal
    guard let response = exchange.response(beginning: &output, to: request, in: journal)
    else { return nil }
    if exchange.isInPieces, let seat = follower.seat {
      seat.seat.note(
        response.head, inPiecesTo: request, askedBy: seat.asker,
        secretHeaders: follower.rules.secretHeaders)
    }
    guard var next = try follower.next(after: response, to: request, visited: visited)
    else { return nil }
    if !exchange.isInPieces {
      try follower.shortenTime(of: &next, since: begin.withLock { $0 }, after: response)
    }
    let losesBody = RedirectRules.becomesGet(request, status: response.statusCode)
    return RedirectHop(
      exchange, of: next, body: losesBody ? nil : body,
      after: visited + [RequestSummary(request)], follower: follower
    ).leave()
  }

  func successor(
    after end: Subscribers.Completion<any Error>
  ) throws -> RelayLeg<RedirectHop>? {
    if case .failure(let error) = end, let call = follower.call {
      let fault = (error as? RESTError)?.underlyingError as? TransportError
      if fault?.mayHaveBeenProcessed == false { sent?.noteNeverArrived() }
      throw error.recorded(in: call.journal)
    }
    return nil
  }
}

extension RedirectHop: SeatedExchange where Exchange == WholeExchange {
  var transport: any Transport { follower.transport }

  var asker: RequestAsker? { follower.seat?.asker }

  func isRefusal(_ response: RESTResponse) -> Bool {
    guard let seat = follower.seat, seat.asker != nil else { return false }
    if response.statusCode == 401 { return true }
    // A request that left its origin no longer carries the credential.
    guard let credential = seat.credential, credential.asker(of: request) != nil else {
      return false
    }
    return credential.refuses(response)
  }

  var patience: ExchangePatience? {
    follower.seat?.timeLimit.map { limit in
      ExchangePatience(
        limit: limit, end: begin.withLock { $0 } + (request.timeLimit ?? limit))
    }
  }

  var secretHeaders: [String] { follower.rules.secretHeaders }

  func send(adding fields: [HTTPHeaders.Element]) -> AnyPublisher<RESTResponse, any Error> {
    own(adding: fields)
  }

  func behind(
    _ begin: @escaping @Sendable (any SeatedExchange) -> AnyPublisher<RESTResponse, any Error>
  ) -> AnyPublisher<RESTResponse, any Error> {
    DeferredInContext { [request, follower] context in
      let observed = ObservedCall(
        on: follower.transport, in: context, isRedirectable: follower.rules.policy != .never)
      var apart = follower
      apart.call = observed.call
      apart.gate?.deadline = nil
      apart.instrumentation = follower.instrumentation?.apart(for: observed)
      let hop = RedirectHop(WholeExchange(), of: request, body: nil, follower: apart)
      guard let journal = observed.call?.journal else { return begin(hop) }
      journal.recordBuilt(request)
      return observed.ending(
        begin(hop).handleEvents(receiveOutput: { response in
          journal.record(.received(status: response.statusCode, metrics: response.metrics))
        }).eraseToAnyPublisher())
    }
    .eraseToAnyPublisher()
  }

  func join() {
    follower.call?.beginExchange(sent, isRedirected: isRedirected, isJoined: true)
  }

  func record(_ event: @autoclosure () -> CallEvent.Kind) {
    follower.call?.journal.record(event())
  }
}

extension URLRequest {
  /// Returns this request with further header fields.
  fileprivate func adding(_ fields: [HTTPHeaders.Element]) -> URLRequest {
    guard !fields.isEmpty else { return self }
    var request = self
    for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
    return request
  }

  /// The names of headers that another request does not have, sorted.
  fileprivate func headerNames(missingIn other: URLRequest) -> [String] {
    (allHTTPHeaderFields ?? [:]).keys.filter { other.value(forHTTPHeaderField: $0) == nil }.sorted()
  }
}
