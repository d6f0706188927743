import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Sends a request and follows its redirects, the same on every transport, ten at most.
struct RedirectFollower: Sendable {
  static let maximumHops = 10

  let transport: any Transport
  let rules: RedirectRules
  /// What the exchanges are counted and recorded in, if anything.
  var call: CallPart?
  /// What instruments have to do with the exchanges; nil where there is none.
  var instrumentation: ExchangeInstrumentation?
  /// Who may bring whole responses in the transport's place, if anybody.
  var seat: CallSeat?
  /// What decides when its exchanges may begin, if anything.
  var gate: CallGate?
  /// What measures the time that redirects take of a request's.
  var now: @Sendable () -> ContinuousClock.Instant = { .now }

  /// The response, to be subscribed at once, and once: the call counts the request now.
  ///
  /// The request's time-out is for all of it: a redirect gets what is left.
  func response(for request: URLRequest) -> AnyPublisher<RESTResponse, any Error> {
    Relay(RedirectHop(WholeExchange(), of: request, body: nil, follower: self).leave())
      .eraseToAnyPublisher()
  }

  /// The exchange in pieces; of a redirect nothing is told but what was sent.
  ///
  /// Its time-out is for each silence, and so for each hop.
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
        remedy: "Ask the server's people about it.")
    }
    call?.journal.record(
      .redirected(
        to: RequestSummary(next), droppedHeaders: request.headerNames(missingIn: next)))
    return next
  }

  /// Leaves a request that a redirect led to the time that the one before it has left.
  ///
  /// - Parameters:
  ///   - begin: When that one was sent.
  ///   - response: The redirect.
  /// - Throws: `RESTError` of kind `transport(.timedOut)` where there is none left.
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

  /// Says whether so many redirects go round in a loop, and of which places.
  ///
  /// A loop is looked for at the limit only: a server may redirect to the same place until what it
  /// prepares is there.
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
  /// When the time of the request begins: a wait at the gate is none of it.
  private let begin: Lock<ContinuousClock.Instant>
  /// What those who may send it again know of it; nil where nobody may.
  private let sent: SentRequest?

  /// - Parameters:
  ///   - body: What is sent besides the request.
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

  /// Says who brings its response; the request is counted where that is begun.
  func leave() -> RelayLeg<RedirectHop> {
    let outputs = follower.seat.flatMap { exchange.outputs(of: self, by: $0.seat) } ?? own()
    guard isRedirected else { return RelayLeg(outputs, rule: self) }
    return RelayLeg(
      outputs.context(CallOrigin.Key.self, .redirect).eraseToAnyPublisher(), rule: self)
  }

  private var isRedirected: Bool { !visited.isEmpty }

  /// The exchange of its own, which is counted and recorded now, or when its gate lets it begin.
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
    // On a request that left its origin the credential is not any more.
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
  /// This request with further header fields.
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
