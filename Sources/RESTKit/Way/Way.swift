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
///     cache        is there an answer, or another call that asks for the same? Whole responses only.
///        │
///        ▼
///     leave        may it go now, with which token? First the turn at the limiter, then the token.
///        │
///        ▼
///     exchange     counted, shown to the instruments, given to the transport
///
/// Each step knows the next one as the rest of the way. A step that a call does not ask for is skipped and
/// costs nothing. Retries and deadlines are stages around this way. Whole responses, events, uploads and
/// downloads take the same way; they differ in how the response arrives (``ExchangeForm``).
struct Way<Output: Sendable>: Sendable {
  private let verb: Verb<Output>
  private let api: APISettings
  private let options: CallOptions
  private let context: SubscriptionContext
  private let observed: ObservedCall

  /// Returns a publisher that makes and sends a verb's request anew for each subscription.
  static func outputs(of verb: Verb<Output>) -> AnyPublisher<Output, any Error> {
    DeferredInContext { context in Way(verb, in: context).session }.eraseToAnyPublisher()
  }

  private init(_ verb: Verb<Output>, in context: SubscriptionContext) {
    self.verb = verb
    self.context = context
    let (api, given) = (verb.settings(), context.options)
    var options = given.over(api.options)
    // A request of a session's own refresh goes without the token.
    if given.session == nil, options.session?.isRefreshing(in: context) == true {
      options.session = nil
    }
    observed = ObservedCall(
      on: api.transport, in: context, clock: options.session?.scheduler, under: options.deadline,
      isRedirectable: api.redirects != .never)
    self.api = api
    self.options = options
  }

  // MARK: Session

  private var session: AnyPublisher<Output, any Error> {
    guard let session = options.session, let call = observed.part?.call else {
      return observed.ending(build(for: nil, in: observed.part))
    }
    let step = AuthorizedRequest(
      session: session, call: call, in: context, response: verb.response
    ) { binding, part in
      build(for: binding, in: part)
    }
    let first = session.isRefreshing(in: context) ? step.refused : step.first
    return Relay(first, ending: call, in: context).eraseToAnyPublisher()
  }

  // MARK: Build

  /// - Parameters:
  ///   - binding: The user whose token the request gets; nil without a session.
  ///   - part: The part of the call that the request belongs to, if there is a call.
  private func build(
    for binding: SessionBinding?, in part: CallPart?
  ) -> AnyPublisher<Output, any Error> {
    do {
      // In place: a request that is held twice is copied for a change, which costs more than to make it.
      var made = try verb.make(!observed.instrumented.isEmpty)
      try api.compression?.compress(&made.request, &made.body)
      let instrumentation = ExchangeInstrumentation.make(
        by: observed.instrumented, for: part, baseURL: api.baseURL, urlTemplate: made.urlTemplate)
      guard let modification = options.modification else {
        let plan = try plan(
          &made.request, for: binding, in: part, instrumentation: instrumentation)
        return try verb.send(plan, made.request, made.body)
      }
      // Only for a change in a task: a `flatMap` costs more than everything else here.
      return modification.publisher(for: made.request)
        .tryMap { [body = made.body] request in
          var request = request
          let plan = try plan(&request, for: binding, in: part, instrumentation: instrumentation)
          return try verb.send(plan, request, body)
        }
        .mapError { observed.noting($0) }
        .flatMap { $0 }
        .eraseToAnyPublisher()
    } catch {
      return Fail(error: observed.noting(error)).eraseToAnyPublisher()
    }
  }

  /// Completes a request, and returns what the rest of its way needs.
  private func plan(
    _ request: inout URLRequest, for binding: SessionBinding?, in part: CallPart?,
    instrumentation: ExchangeInstrumentation?
  ) throws -> ExchangePlan {
    let range = try options.preparer?(&request)
    let binding = try binding.flatMap {
      try $0.authorizes(request, ofAPIAt: api.baseURL) ? $0 : nil
    }
    let token = binding?.bind(&request)
    part?.prepare(&request)
    var plan = ExchangePlan(
      transport: api.transport,
      rules: RedirectRules(
        policy: api.redirects, secretHeaders: api.secretHeaders,
        bound: context[RedirectBound.Key.self]),
      part: part)
    plan.instrumentation = instrumentation
    plan.binding = binding
    plan.token = token
    plan.resumedRange = range
    plan.cache = CacheStep(
      options.cache, wish: options.cacheWish, coalescer: options.coalescer, asker: binding?.span,
      timeLimit: request.timeLimit)
    plan.limiter = options.limiter.map {
      CallLimiter(
        limiter: $0, origin: request.url.map(Origin.init), deadline: options.deadline?.deadline)
    }
    return plan
  }
}

// MARK: Redirects

extension ExchangePlan {
  /// Returns the whole response, to be subscribed to once and at once: the call counts the request now.
  ///
  /// The request's time-out covers all redirects. Each gets the remaining time.
  func response(for request: URLRequest) -> AnyPublisher<RESTResponse, any Error> {
    Relay(RedirectHop(WholeExchange(), of: request, body: nil, plan: self).outputs)
      .eraseToAnyPublisher()
  }

  /// Returns the exchange in pieces.
  ///
  /// Before a redirect, it delivers only the progress of the sent body. The time-out applies to each silence,
  /// and so to each redirect separately.
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
    let outputs = plan.cache.flatMap { form.outputs(of: self, by: $0) } ?? leave()
    guard isRedirected else { return RelayLeg(outputs, rule: self) }
    return RelayLeg(
      outputs.context(CallOrigin.Key.self, .redirect).eraseToAnyPublisher(), rule: self)
  }

  // MARK: Leave

  /// - Parameter fields: The header fields that the cache adds.
  func leave(adding fields: [HTTPHeaders.Element] = []) -> AnyPublisher<Form.Output, any Error> {
    let limiter = plan.limiter.flatMap { limiter in
      request.url.map(Origin.init) == limiter.origin ? limiter : nil
    }
    if limiter == nil {
      guard let binding = plan.binding else { return exchange(with: nil, adding: fields) }
      // Usually there is a token, and the response is marked as it arrives.
      if plan.cache == nil {
        // A whole response is asked for as soon as its request is built. A transfer may begin later.
        if let token = plan.token, !form.isInPieces { return exchange(with: token, adding: fields) }
        if case .credential(let credential) = binding.grant() {
          return exchange(with: credential, adding: fields)
        }
      }
    }
    let asking = RateLimiter.Request(
      summary: RequestSummary(request), deadline: limiter?.deadline, journal: plan.part?.journal)
    return Leaving(
      asking, limitedBy: limiter?.limiter, boundTo: plan.binding,
      head: { [form] in form.head(of: $0) },
      mark: { [self] output in
        if let departure { form.mark(&output, with: departure, in: nil) }
      },
      send: { [self] credential in exchange(with: credential, adding: fields) }
    ).outputs
  }

  // MARK: Exchange

  private func exchange(
    with credential: IssuedCredential?, adding fields: [HTTPHeaders.Element]
  ) -> AnyPublisher<Form.Output, any Error> {
    let (request, entry) = depart(with: credential)
    let sending = plan.part?.beginExchange(entry, isRedirected: isRedirected)
    let whole = request.adding(fields)
    guard let instrumentation = plan.instrumentation, let sending else {
      return form.outputs(for: whole, body: body, plan: plan)
    }
    return Deferred { [form, body, plan] in
      var request = whole
      let run = instrumentation.begin(&request, as: sending)
      return form.outputs(form.outputs(for: request, body: body, plan: plan), ending: run)
    }
    .eraseToAnyPublisher()
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
}
