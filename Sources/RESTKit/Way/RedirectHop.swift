import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What changes about a request on its way.
///
/// It is not part of the generic class: the metadata of a generic type is looked up each time.
private struct HopState: Sendable {
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
  /// How often the request was held back in the transport's line.
  var holds = 0
  /// Whether it is held back, and not yet on its way again.
  var isHeldBack = false
}

/// One request on the way to a response.
final class RedirectHop<Form: ExchangeForm>: RelayRule {
  let form: Form
  let body: RequestBody?
  private let visited: [RequestSummary]
  let plan: RequestPlan
  private let state: Lock<HopState>

  /// - Parameters:
  ///   - body: The body that is sent outside the request.
  ///   - visited: The requests that were redirected, first to last.
  init(
    _ form: Form, of request: URLRequest, body: RequestBody?,
    after visited: [RequestSummary] = [], plan: consuming RequestPlan
  ) {
    self.form = form
    self.body = body
    self.visited = visited
    state = Lock(HopState(request: request, begin: plan.now()))
    // Moved, because a copy would count a dozen references.
    self.plan = plan
  }

  /// The request as it was built, until it leaves; then as it left.
  var request: URLRequest { state.withLock { $0.request } }

  var departure: Departure? { state.withLock { $0.departure } }

  var isRedirected: Bool { !visited.isEmpty }

  /// Records that the request leaves now, with the credential of this moment.
  func depart(
    with credential: IssuedCredential?
  ) -> (request: URLRequest, entry: SentRequest?) {
    var request = request
    // Nobody asks about most requests, and they have not waited.
    if credential == nil, plan.limiter == nil, plan.scopedCall == nil, plan.way.cache == nil {
      return (request, nil)
    }
    let (begin, date) = (plan.now(), plan.way.cache?.now)
    if let credential, credential !== plan.token {
      request.replaceHeader("Authorization", with: credential.authorization)
    }
    let entry = entry(of: request)
    credential?.noteSent()
    let departure =
      credential == nil && date == nil ? nil : Departure(with: credential, at: date)
    var other = HopState(request: request, begin: begin, sent: entry, departure: departure)
    state.withLock { state in
      other.holds = state.holds
      swap(&state, &other)
    }
    // Releasing a user's body may run the user's code.
    withExtendedLifetime(other) {}
    return (request, entry)
  }

  /// The entry of a request for the scopes of its call; nil if none keeps it.
  private func entry(of request: URLRequest) -> SentRequest? {
    guard plan.scopedCall?.scope?.keepsRequests == true else { return nil }
    return SentRequest(request, body: body, isInPieces: form.isInPieces)
  }

  func successor(of output: inout Form.Output) throws -> RelayLeg<RedirectHop>? {
    let journal = plan.scopedCall?.journal
    if let declared = plan.way.rules.declaredSecrets { form.hide(declared, in: &output) }
    if let decoder = plan.way.decoder { form.give(decoder, to: &output) }
    // Behind a cache, the response to another request may be the one.
    if !plan.way.hasCache, let departure { form.mark(&output, with: departure, in: journal) }
    guard let response = form.response(beginning: &output, to: request, in: journal)
    else { return nil }
    return try successor(of: response)
  }

  /// The leg of the next request, if the response is a redirect to be followed.
  private func successor(of response: RESTResponse) throws -> RelayLeg<RedirectHop>? {
    if [401, 429].contains(response.statusCode) {
      state.withLock { $0.sent }?.noteRefusal(response.statusCode)
    }
    guard form.isInPieces || RedirectRules.isRedirect(response.statusCode) else { return nil }
    let request = request
    if form.isInPieces, plan.way.hasCache {
      plan.cache.note(response.head, inPiecesTo: request)
    }
    guard var next = try plan.next(after: response, to: request, visited: visited)
    else { return nil }
    var plan = plan
    if let binding = plan.binding {
      // The next request gets the token of its own moment. A token that a redirect dropped does not
      // come back. A request that a cache answered never had one, and so does not tell.
      next.replaceHeader("Authorization", with: nil)
      let staysAtOrigin = request.url.map(Origin.init) == next.url.map(Origin.init)
      plan.binding = staysAtOrigin ? binding : nil
      plan.token = plan.binding?.bind(&next)
    }
    if !form.isInPieces {
      try plan.shortenTime(of: &next, since: state.withLock { $0.begin }, after: response)
    }
    let losesBody = RedirectRules.becomesGet(request, status: response.statusCode)
    return RedirectHop(
      form, of: next, body: losesBody ? nil : body,
      after: visited + [RequestSummary(request)], plan: plan
    ).outputs
  }

  func successor(
    after end: Subscribers.Completion<any Error>
  ) throws -> RelayLeg<RedirectHop>? {
    guard case .failure(var error) = end else { return nil }
    if plan.scopedCall != nil {
      if plan.binding != nil, takeBack() { return RelayLeg(leave(again: true), rule: self) }
      let fault = (error as? RESTError)?.underlyingError as? TransportError
      if fault?.mayHaveBeenProcessed == false { state.withLock { $0.sent }?.noteNeverArrived() }
    }
    if !form.isInPieces, let unreadable = (error as? RESTError)?.unreadableResponse {
      // The head is known, so its status decides.
      let response = unreadable.response
      var head = plan.way.rules.declaredSecrets.map(response.head.hiding) ?? response.head
      if head.departure == nil { head.departure = departure }
      head.decoder = plan.way.decoder
      let known = response.replacing(head: head, data: response.data)
      if let next = try successor(of: known) { return next }
      error = RESTError(unreadable: unreadable.fault, of: known)
    }
    throw plan.scopedCall.map { error.recorded(in: $0.journal) } ?? error
  }
}

extension RedirectHop: LateSender {
  /// How often a request is held back.
  ///
  /// If no token lives until the place of a request, the request is sent with the last one.
  private static var mostHolds: Int { 3 }

  var wasHeldBack: Bool { state.withLock { $0.holds > 0 } }

  func takeLastLook() -> LastLook.Verdict {
    let (departure, holds) = state.withLock { ($0.departure, $0.holds) }
    guard let binding = plan.binding, let known = departure?.credential as? IssuedCredential else {
      return .unchanged
    }
    switch binding.grant(after: known) {
    case .credential(let credential):
      guard credential !== known else { return .unchanged }
      credential.noteSent()
      let next = Departure(with: credential, at: departure?.date)
      state.withLock { state in
        state.request.replaceHeader("Authorization", with: credential.authorization)
        state.departure = next
      }
      return .authorization(credential.authorization)
    case .wait where holds >= Self.mostHolds: return .unchanged
    case .wait, .signedOut:
      state.withLock { state in
        state.holds += 1
        state.isHeldBack = true
      }
      return .heldBack
    }
  }

  /// Takes the request back if it was held back in the transport's line.
  ///
  /// - Returns: Whether it was.
  func takeBack() -> Bool {
    let (isHeldBack, sent) = state.withLock { state in
      defer { state.isHeldBack = false }
      return (state.isHeldBack, state.sent)
    }
    guard isHeldBack else { return false }
    sent?.noteNeverArrived()
    if let scopedCall = plan.scopedCall {
      scopedCall.journal.record(
        .failed("its token expired while it waited for a connection; it was not sent"))
      if !isRedirected { scopedCall.takeBackAttempt() }
      scopedCall.scope?.noteRepetition(cause: .refresh)
    }
    return true
  }
}

extension RedirectHop: RestOfWay where Form == WholeExchange {
  var transport: any Transport { plan.transport }

  var principal: SignInSpan? { plan.principal }

  var isBound: Bool { plan.binding != nil }

  func isRefusal(_ response: RESTResponse) -> Bool {
    guard plan.principal != nil else { return false }
    return response.statusCode == 401 || plan.binding?.refuses(response) == true
  }

  var timeLimit: Duration? { plan.timeLimit }

  var patience: ExchangePatience? {
    plan.timeLimit.map { limit in
      let begin = state.withLock { $0.begin }
      // A redirect has what is left of the limit.
      let left = isRedirected ? request.timeLimit ?? limit : limit
      return ExchangePatience(limit: limit, end: begin + left)
    }
  }

  var secretNames: SecretNames { plan.way.rules.secretNames }

  func send(
    adding fields: [HTTPHeaders.Element], isShared: Bool
  ) -> AnyPublisher<RESTResponse, any Error> {
    leave(adding: fields, isShared: isShared)
  }

  func behind(
    _ begin: @escaping @Sendable (any RestOfWay) -> AnyPublisher<RESTResponse, any Error>
  ) -> AnyPublisher<RESTResponse, any Error> {
    DeferredInContext { [request, plan] context in
      // The waiting call may end before the request leaves, so this is another call.
      let observed = ObservedCall(
        on: plan.transport, in: context, clock: plan.binding?.session.callClock,
        isRedirectable: plan.way.rules.policy != .never)
      let send: @Sendable (SessionBinding?, ScopedCall?) -> AnyPublisher<RESTResponse, any Error> =
        { binding, scopedCall in
          var apart = plan
          (apart.binding, apart.scopedCall) = (binding, scopedCall)
          apart.limiter?.deadline = nil
          apart.instrumentation = plan.instrumentation?.apart(for: observed)
          let response = begin(RedirectHop(WholeExchange(), of: request, body: nil, plan: apart))
          guard let journal = scopedCall?.journal else { return response }
          journal.recordBuilt(request)
          return response.handleEvents(receiveOutput: { response in
            journal.record(.received(status: response.statusCode, metrics: response.metrics))
          }).eraseToAnyPublisher()
        }
      guard let binding = plan.binding, let call = observed.scopedCall?.call else {
        return observed.ending(send(nil, observed.scopedCall))
      }
      let authorized = AuthorizedRequest(session: binding.session, call: call, in: context)
      let rule = AuthorizationRule<Unruled>(of: authorized, response: { $0 }) { binding in
        RequestUnderway(send(binding, authorized.scopedCall))
      }
      let first = SessionBinding(to: binding.session, for: call, as: binding.span)
      return Relay(rule.leg(to: .send(first)), ending: call, in: context).eraseToAnyPublisher()
    }
    .eraseToAnyPublisher()
  }

  func join() {
    let entry = entry(of: request)
    state.withLock { $0.sent = entry }
    plan.scopedCall?.beginExchange(entry, isRedirected: isRedirected, isJoined: true)
  }

  func record(_ event: @autoclosure () -> CallEvent.Kind) {
    plan.scopedCall?.journal.record(event())
  }
}

/// What the way of a request needs after the request was built, for it and all its redirects.
struct RequestPlan: Sendable {
  static let maximumHops = 10

  let way: Way
  /// The call that counts and records the exchanges, if there is one, with its scope.
  var scopedCall: ScopedCall?
  /// The instruments' work for the exchanges; nil without instruments.
  var instrumentation: ExchangeInstrumentation?
  /// The session whose token the requests get as they leave; nil for none.
  var binding: SessionBinding?
  /// The credential that is on the request already, because it was ready when the request was
  /// built.
  var token: IssuedCredential?
  /// The user whose token the first request gets, for a cache; nil if it is unknown.
  var principal: SignInSpan?
  /// The time limit of the first request and all its redirects, for a cache.
  var timeLimit: Duration?
  /// The limiter of requests to the origin of the first one, if there is one.
  var limiter: CallLimiter?
  /// The place at which the request makes a stream go on; nil if it does not.
  var resumption: Resumption?
  /// The clock for the time that redirects take from a request's time-out.
  var now: @Sendable () -> ContinuousClock.Instant = { .now }

  init(way: Way, scopedCall: ScopedCall?) {
    self.way = way
    self.scopedCall = scopedCall
  }

  var transport: any Transport { way.transport }

  /// The step that may find a whole response elsewhere.
  var cache: CacheStep {
    CacheStep(
      way.cache, options: way.cacheOptions, coalescer: way.coalescer,
      isSharedByHand: way.isSharedByHand)
  }

  /// - Parameter visited: The requests that were redirected, first to last.
  func next(
    after response: RESTResponse, to request: URLRequest, visited: [RequestSummary]
  ) throws(RESTError) -> URLRequest? {
    guard let next = try way.rules.next(after: response, to: request) else { return nil }
    guard visited.count < Self.maximumHops else {
      throw RedirectRules.refusal(
        response, Self.account(of: visited + [RequestSummary(request)], to: RequestSummary(next)),
        remedy: "Report the redirects to the server's operators.")
    }
    scopedCall?.journal.record(
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
  func shortenTime(
    of next: inout URLRequest, since begin: ContinuousClock.Instant, after response: RESTResponse
  ) throws(RESTError) {
    guard next.timeLimit != nil else { return }
    let left = next.timeoutInterval - begin.duration(to: now()).inSeconds
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

extension URLRequest {
  /// Returns this request with further header fields.
  func adding(_ fields: [HTTPHeaders.Element]) -> URLRequest {
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
