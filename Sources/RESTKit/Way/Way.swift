import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The way of a verb's request, from the subscription down to the transport.
///
///     a subscription: the caller's, or an attempt of a retry
///        │
///        ▼
///     session      who asks? It fixes the user, and waits until there is one.
///        │ ◀──── a response refuses the token: one refresh, then build again
///        ▼
///     build        what is asked? Modifiers, compression, a place to resume from, an idempotency key.
///        │
///        ▼
///     redirects    where to next?
///        │ ◀──── a 3xx: the next request, without the secrets of another origin
///        ▼
///     cache        is there a response, or another call that asks for the same? Whole responses only.
///        │
///        ▼
///     leave        may it go now, with which token? It needs a turn, and the token of the moment.
///        │
///        ▼
///     exchange     counted, shown to the instruments, given to the transport
///
/// Each step knows the next one as the rest of the way. A step that a call does not ask for is
/// skipped and costs nothing. Retries and deadlines are stages around this way. Whole responses,
/// events, uploads and downloads take the same way; they differ in how the response arrives
/// (``ExchangeForm``).
final class Way: Sendable {
  let transport: any Transport
  let rules: RedirectRules
  /// The decoder that the API has for its responses; nil for a plain one.
  let decoder: JSONDecoder?
  let cache: HTTPCache?
  let cacheOptions: CacheOptions?
  let coalescer: RequestCoalescer?
  /// Whether the pipeline itself asks for sharing.
  let isSharedByHand: Bool
  private let baseURL: String
  private let compression: RequestCompression?
  private let session: TokenSession?
  /// Whether the session's own refresh makes the call, which would wait for itself.
  private let isCircular: Bool
  private let limiter: RateLimiter?
  private let modification: RequestModification?
  private let preparer: RequestPreparer?
  private let headHandler: HeadHandler?
  let stageOfPieces: StageOfPieces?
  private let deadline: DeadlineRecord?
  private let observed: ObservedCall

  /// Returns a publisher that makes and sends a verb's request anew for each subscription.
  static func outputs<Rule>(of verb: Verb<Rule>) -> AnyPublisher<Rule.Output, any Error> {
    AnyPublisher { subscriber in
      verb.way(subscriber.context).receive(subscriber, for: verb)
    }
  }

  private func receive<Rule>(
    _ subscriber: AnySubscriber<Rule.Output, any Error>, for verb: Verb<Rule>
  ) {
    let context = subscriber.context
    guard !isPlain else {
      return build(verb.draft, for: nil, in: observed.scopedCall, sending: verb.send)
        .receive(subscriber: subscriber)
    }
    if let session, let call = observed.scopedCall?.call, headHandler == nil,
      rules.declaredSecrets == nil
    {
      return authorizedOutputs(of: verb, by: session, in: call, context)
        .receive(subscriber: subscriber)
    }
    guard let declared = rules.declaredSecrets else {
      return handledOutputs(of: verb, in: context).receive(subscriber: subscriber)
    }
    // For transports that record.
    let inside = context.setting(DeclaredSecrets.Key.self, to: declared)
    handledOutputs(of: verb, in: inside).context(DeclaredSecrets.Key.self, declared)
      .receive(subscriber: subscriber)
  }

  /// Whether there is nothing around the request that is built.
  ///
  /// Such a call needs no publisher for what is around it.
  private var isPlain: Bool {
    session == nil && headHandler == nil && rules.declaredSecrets == nil && !observed.isOwn
  }

  /// Reads what the pipeline says, once.
  ///
  /// The other parameters are what the API says.
  ///
  /// - Parameter session: The API's session; nil if the verb excludes it.
  init(
    baseURL: String, transport: any Transport, redirects: RedirectPolicy, secretHeaders: [String],
    decoder: JSONDecoder?, compression: RequestCompression?, session: TokenSession?,
    cache: HTTPCache?, coalescer: RequestCoalescer?, limiter: RateLimiter?,
    in context: SubscriptionContext
  ) {
    let options = context.options
    self.transport = transport
    self.baseURL = baseURL
    self.compression = compression
    self.decoder = decoder
    if let decoder { options.noteDecoder?(decoder) }
    rules = RedirectRules(
      policy: redirects, secretHeaders: secretHeaders, bound: context[RedirectBound.Key.self])
    self.cache = options.cache ?? cache
    cacheOptions = options.cacheOptions
    self.coalescer = options.coalescer ?? coalescer
    isSharedByHand = options.coalescer != nil
    self.limiter = options.limiter ?? limiter
    (modification, preparer) = (options.modification, options.preparer)
    (headHandler, stageOfPieces) = (options.headHandler, options.stageOfPieces)
    deadline = options.deadline
    let session = options.session ?? session
    isCircular = session?.isRefreshing(in: context) ?? false
    // A refresh through an API with its own session goes without the token.
    self.session = isCircular && options.session == nil ? nil : session
    observed = ObservedCall(
      on: transport, in: context, clock: self.session?.callClock, under: deadline,
      isRedirectable: rules.policy != .never)
  }

  // MARK: Heads

  private func handledOutputs<Rule>(
    of verb: Verb<Rule>, in context: SubscriptionContext
  ) -> AnyPublisher<Rule.Output, any Error> {
    let outputs = outputs(of: verb, in: context)
    guard let headHandler else { return outputs }
    return outputs.through(HandledHeads(response: verb.response, handle: headHandler))
      .eraseToAnyPublisher()
  }

  // MARK: Session

  private func outputs<Rule>(
    of verb: Verb<Rule>, in context: SubscriptionContext
  ) -> AnyPublisher<Rule.Output, any Error> {
    guard let session, let call = observed.scopedCall?.call else {
      return observed.ending(
        build(verb.draft, for: nil, in: observed.scopedCall, sending: verb.send).publisher)
    }
    return authorizedOutputs(of: verb, by: session, in: call, context).eraseToAnyPublisher()
  }

  private func authorizedOutputs<Rule>(
    of verb: Verb<Rule>, by session: TokenSession, in call: LogicalCall,
    _ context: SubscriptionContext
  ) -> Relay<AuthorizationRule<Rule>> {
    let request = AuthorizedRequest(session: session, call: call, in: context)
    let rule = AuthorizationRule(of: request, response: verb.response) {
      [self, draft = verb.draft, send = verb.send] binding in
      build(draft, for: binding, in: request.scopedCall, sending: send)
    }
    return Relay(
      rule.leg(to: request.first(isCircular: isCircular)), ending: call, in: context)
  }

  // MARK: Build

  /// - Parameters:
  ///   - binding: The user whose token the request gets; nil without a session.
  ///   - scopedCall: The call that the request belongs to, if there is one, with its scope.
  private func build<Rule>(
    _ draft: RequestDraft, for binding: SessionBinding?, in scopedCall: ScopedCall?,
    sending send: @escaping Verb<Rule>.Send
  ) -> RequestUnderway<Rule> {
    do {
      // In place: a request that is held twice is copied for a change, which costs more than to
      // make it.
      var made = try draft.make(wantsTemplate: !observed.instrumented.isEmpty)
      try compression?.compress(&made.request, &made.body)
      guard let modification else {
        return try complete(
          &made.request, with: made.body, made.keepSecrets, for: binding,
          plan(for: made, in: scopedCall), sending: send)
      }
      // Only for a change in a task: one more publisher costs more than everything else here.
      let plan = plan(for: made, in: scopedCall)
      return RequestUnderway(
        modification.publisher(for: made.request, of: binding?.credential)
          .mapError { [observed] in observed.noting($0) }
          .followed { [self, body = made.body, keepSecrets = made.keepSecrets] request in
            do {
              var request = request
              return try complete(
                &request, with: body, keepSecrets, for: binding, plan, sending: send
              ).publisher
            } catch {
              throw observed.noting(error)
            }
          })
    } catch {
      return RequestUnderway(Fail(error: observed.noting(error)).eraseToAnyPublisher())
    }
  }

  private func plan(
    for made: RequestDraft.Made, in scopedCall: ScopedCall?
  ) -> RequestPlan {
    var plan = RequestPlan(way: self, scopedCall: scopedCall)
    plan.instrumentation = ExchangeInstrumentation.make(
      by: observed.instrumented, for: scopedCall, baseURL: baseURL, urlTemplate: made.urlTemplate)
    return plan
  }

  /// Completes a request and the plan of the rest of its way, and sends the request.
  ///
  /// The plan is moved along, because a copy would count a dozen references.
  private func complete<Rule>(
    _ request: inout URLRequest, with body: RequestBody?,
    _ keepSecrets: (@Sendable (inout URLRequest) -> Void)?, for binding: SessionBinding?,
    _ plan: consuming RequestPlan, sending send: Verb<Rule>.Send
  ) throws -> RequestUnderway<Rule> {
    keepSecrets?(&request)
    plan.resumption = try preparer?(&request)
    if let binding, try binding.authorizes(request, ofAPIAt: baseURL) {
      plan.binding = binding
      plan.token = binding.bind(&request)
    }
    plan.scopedCall?.prepare(&request, body: body)
    if hasCache {
      plan.principal = plan.binding?.span
      plan.timeLimit = request.timeLimit
    }
    if let limiter {
      plan.limiter = CallLimiter(
        limiter: limiter, origin: request.url.map(Origin.init), deadline: deadline?.deadline)
    }
    return try send(plan, request, body)
  }

  /// Whether a whole response may be found elsewhere.
  var hasCache: Bool { cache != nil || coalescer != nil }
}

// MARK: Redirects

extension RequestPlan {
  /// Asks for a whole response, which is to be subscribed to once and at once: the call counts the
  /// request now.
  ///
  /// The request's time-out covers all redirects. Each gets the remaining time.
  consuming func response(for request: URLRequest) -> RequestUnderway<RedirectHop<WholeExchange>> {
    RedirectHop(WholeExchange(), of: request, body: nil, plan: self).underway
  }

  /// Returns the exchange in pieces.
  ///
  /// Before a redirect, it delivers only the progress of the sent body. The time-out applies to
  /// each silence, and so to each redirect separately.
  func events(
    for request: URLRequest, body: RequestBody?
  ) -> AnyPublisher<TransferEvent, any Error> {
    Deferred {
      Relay(RedirectHop(ExchangeInPieces(), of: request, body: body, plan: self).outputs)
    }
    .eraseToAnyPublisher()
  }
}

extension RedirectHop {
  // MARK: Cache

  /// The source of the response to this hop's request.
  ///
  /// The request is counted when it leaves.
  var outputs: RelayLeg<RedirectHop> {
    let outputs = (plan.way.hasCache ? form.outputs(of: self, by: plan.cache) : nil) ?? leave()
    guard isRedirected else { return RelayLeg(outputs, rule: self) }
    return RelayLeg(
      outputs.context(CallOrigin.Key.self, .redirect).eraseToAnyPublisher(), rule: self)
  }

  /// The source of the response to a request that is not redirected, with the rule for it.
  ///
  /// Most requests with a token leave at once, and nothing is around their exchange.
  var underway: RequestUnderway<RedirectHop> {
    guard let token = plan.token, plan.limiter == nil, plan.instrumentation == nil,
      !plan.way.hasCache, !form.isInPieces
    else { return RequestUnderway(outputs) }
    let request = begin(with: token).request
    return RequestUnderway(
      form.outputs(for: request, body: body, plan: plan), rule: self,
      lastLook: LastLook(at: request, of: self))
  }

  // MARK: Leave

  /// - Parameters:
  ///   - fields: The header fields that the cache adds.
  ///   - isShared: Whether other calls may wait for the exchange.
  ///   - again: Whether the request was held back, since its token had expired.
  func leave(
    adding fields: [HTTPHeaders.Element] = [], isShared: Bool = false, again: Bool = false
  ) -> AnyPublisher<Form.Output, any Error> {
    let limiter = plan.limiter.flatMap { limiter in
      request.url.map(Origin.init) == limiter.origin ? limiter : nil
    }
    if limiter == nil {
      guard let binding = plan.binding else { return exchange(with: nil, adding: fields) }
      // Usually there is a token, and the response is marked as it arrives.
      if !plan.way.hasCache, !again {
        // A whole response is asked for as soon as its request is built. A transfer may begin
        // later.
        if let token = plan.token, !form.isInPieces { return exchange(with: token, adding: fields) }
        if case .credential(let credential) = binding.grant() {
          return exchange(with: credential, adding: fields)
        }
      }
    }
    let asking = RateLimiter.Request(
      summary: RequestSummary(request), deadline: isShared ? nil : limiter?.deadline,
      journal: plan.scopedCall?.journal)
    return Leaving(
      asking, limitedBy: limiter?.limiter, boundTo: plan.binding,
      head: { [form] in form.head(of: $0) },
      mark: { [self] output in
        if let departure { form.mark(&output, with: departure, in: nil) }
      },
      send: { [self] credential in exchange(with: credential, adding: fields) },
      takeBack: { [self] in takeBack() }
    ).outputs
  }

  // MARK: Exchange

  private func exchange(
    with credential: IssuedCredential?, adding fields: [HTTPHeaders.Element]
  ) -> AnyPublisher<Form.Output, any Error> {
    let (request, sending) = begin(with: credential)
    let whole = request.adding(fields)
    guard let instrumentation = plan.instrumentation, let sending else {
      return outputs(for: whole, isBound: credential != nil)
    }
    return Deferred { [self] in
      var request = whole
      let run = instrumentation.begin(&request, as: sending)
      return form.outputs(outputs(for: request, isBound: credential != nil), ending: run)
    }
    .eraseToAnyPublisher()
  }

  /// Counts and records that the request leaves with a credential.
  private func begin(
    with credential: IssuedCredential?
  ) -> (request: URLRequest, sending: LogicalCall.Sending?) {
    let (request, entry) = depart(with: credential)
    let sending = plan.scopedCall?.beginExchange(entry, isRedirected: isRedirected)
    return (request, sending)
  }

  /// - Parameter isBound: Whether a transport in whose line the request waits asks for its head
  ///   again.
  private func outputs(
    for request: URLRequest, isBound: Bool
  ) -> AnyPublisher<Form.Output, any Error> {
    let outputs = form.outputs(for: request, body: body, plan: plan)
    guard isBound else { return outputs }
    return outputs.context(LastLook.Key.self, LastLook(at: request, of: self))
      .eraseToAnyPublisher()
  }
}
