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
  /// The session whose token the requests get as they leave; nil for none.
  var binding: SessionBinding?
  /// The credential that is on the request already, because it was ready when the request was built.
  var token: IssuedCredential?
  /// The limiter of requests to the origin of the first one, if there is one.
  var limiter: CallLimiter?
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

/// The limiter of a call's requests.
struct CallLimiter: Sendable {
  let limiter: RateLimiter
  /// The origin that the limit is for.
  ///
  /// A redirect to another origin needs no turn.
  let origin: Origin?
  var deadline: CallDeadline?
}

/// One request on the way to a response.
final class RedirectHop<Exchange: RedirectedExchange>: RelayRule {
  private struct State: Sendable {
    /// The request as it was built, until it leaves; then as it left.
    var request: URLRequest
    /// The beginning of the request's time.
    ///
    /// A wait before the request leaves does not count.
    var begin: ContinuousClock.Instant
    /// The entry for stages that may repeat the request; nil if there are none.
    var sent: SentRequest?
    /// The latest departure; nil before the first, and if nobody asks for it.
    var departure: Departure?
  }

  private let exchange: Exchange
  private let body: RequestBody?
  private let visited: [RequestSummary]
  private let follower: RedirectFollower
  private let state: Lock<State>

  /// - Parameters:
  ///   - body: The body that is sent outside the request.
  ///   - visited: The requests that were redirected, first to last.
  init(
    _ exchange: Exchange, of request: URLRequest, body: RequestBody?,
    after visited: [RequestSummary] = [], follower: RedirectFollower
  ) {
    self.exchange = exchange
    self.body = body
    self.visited = visited
    self.follower = follower
    state = Lock(State(request: request, begin: follower.now()))
  }

  /// The request as it was built, until it leaves; then as it left.
  var request: URLRequest { state.withLock { $0.request } }

  var departure: Departure? { state.withLock { $0.departure } }

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
  /// It is counted and recorded when the request leaves.
  fileprivate func own(
    adding fields: [HTTPHeaders.Element] = []
  ) -> AnyPublisher<Exchange.Output, any Error> {
    let binding = follower.binding
    let limiter = follower.limiter.flatMap { limiter in
      request.url.map(Origin.init) == limiter.origin ? limiter : nil
    }
    if limiter == nil {
      guard let binding else { return send(with: nil, adding: fields) }
      // Usually there is a token, and the response is marked as it arrives.
      if follower.seat == nil {
        // A whole response is asked for as soon as its request is built. A transfer may begin later.
        if let token = follower.token, !exchange.isInPieces {
          return send(with: token, adding: fields)
        }
        if case .credential(let credential) = binding.grant() {
          return send(with: credential, adding: fields)
        }
      }
    }
    let asking = RateLimiter.Request(
      summary: RequestSummary(request), deadline: limiter?.deadline,
      journal: follower.call?.journal)
    return Leaving(
      asking, limitedBy: limiter?.limiter, boundTo: binding,
      head: { [exchange] in exchange.head(of: $0) },
      mark: { [exchange, self] output in
        if let departure { exchange.mark(&output, with: departure, in: nil) }
      },
      send: { [self] credential in send(with: credential, adding: fields) }
    ).outputs
  }

  /// Sends the request now, with a credential if there is one.
  private func send(
    with credential: IssuedCredential?, adding fields: [HTTPHeaders.Element]
  ) -> AnyPublisher<Exchange.Output, any Error> {
    let (request, entry) = depart(with: credential)
    let sending = follower.call?.beginExchange(entry, isRedirected: isRedirected)
    let whole = request.adding(fields)
    guard let instrumentation = follower.instrumentation, let sending else {
      return exchange.outputs(for: whole, body: body, follower: follower)
    }
    return Deferred { [exchange, body, follower] in
      var request = whole
      let run = instrumentation.begin(&request, as: sending)
      return exchange.outputs(
        exchange.outputs(for: request, body: body, follower: follower), ending: run)
    }
    .eraseToAnyPublisher()
  }

  /// Records that the request leaves now.
  private func depart(
    with credential: IssuedCredential?
  ) -> (request: URLRequest, entry: SentRequest?) {
    let (begin, date) = (follower.now(), follower.seat?.seat.departureDate)
    var request = request
    if let credential, credential !== follower.token {
      request.replaceHeader("Authorization", with: credential.authorization)
    }
    let entry = follower.call?.scope.map { [request] _ in SentRequest(request, body: body) }
    credential?.noteSent()
    let departure =
      credential == nil && date == nil ? nil : Departure(with: credential, at: date)
    let released = state.withLock { [request] state in
      defer {
        state = State(request: request, begin: begin, sent: entry, departure: departure)
      }
      return state
    }
    // Releasing a user's body may run the user's code.
    withExtendedLifetime(released) {}
    return (request, entry)
  }

  func successor(of output: inout Exchange.Output) throws -> RelayLeg<RedirectHop>? {
    let journal = follower.call?.journal
    // Behind a seat, the response of another request may be the answer.
    if follower.seat == nil, let departure { exchange.mark(&output, with: departure, in: journal) }
    let request = request
    guard let response = exchange.response(beginning: &output, to: request, in: journal)
    else { return nil }
    if exchange.isInPieces, let seat = follower.seat {
      seat.seat.note(
        response.head, inPiecesTo: request, askedBy: seat.asker,
        secretHeaders: follower.rules.secretHeaders)
    }
    guard var next = try follower.next(after: response, to: request, visited: visited)
    else { return nil }
    var follower = follower
    if follower.binding != nil {
      // The next request gets the token of its own moment. A token that a redirect dropped does not
      // come back.
      if !next.hasField("Authorization") { follower.binding = nil }
      next.replaceHeader("Authorization", with: nil)
      follower.token = nil
    }
    if !exchange.isInPieces {
      try follower.shortenTime(of: &next, since: state.withLock { $0.begin }, after: response)
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
      if fault?.mayHaveBeenProcessed == false { state.withLock { $0.sent }?.noteNeverArrived() }
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
    return response.statusCode == 401 || follower.binding?.refuses(response) == true
  }

  var patience: ExchangePatience? {
    follower.seat?.timeLimit.map { limit in
      let (begin, request) = state.withLock { ($0.begin, $0.request) }
      return ExchangePatience(limit: limit, end: begin + (request.timeLimit ?? limit))
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
      apart.limiter?.deadline = nil
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
    let entry = follower.call?.scope.map { _ in SentRequest(request, body: body) }
    state.withLock { $0.sent = entry }
    follower.call?.beginExchange(entry, isRedirected: isRedirected, isJoined: true)
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
