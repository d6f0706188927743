import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Makes the requests of an API's verbs and endpoints, and sends them.
///
/// The type is not generic over the API, as an extension of the protocol would be. Such code could not
/// be specialized, since each app has its own types, and a type lookup at run time takes longer than
/// making the request.
struct RequestSender: Sendable {
  private let api: any RESTAPI

  init(for api: any RESTAPI) {
    self.api = api
  }

  /// The base URL of the API.
  var baseURL: String { api.baseURL }

  /// Returns a publisher of the whole response, with the repetitions of the API's policy and session.
  func response(to draft: RequestDraft) -> AnyPublisher<RESTResponse, any Error> {
    let once = exchange(draft) { follower, request, body in
      follower.response(for: request, body: body)
    }
    let response = api.retry.map { once.retry($0) } ?? once
    return authorizing(response, as: draft) { $0.authorize(response) }
  }

  /// Returns a publisher of the response in pieces.
  ///
  /// - Parameter hasBody: Whether the draft has a body, which is then sent in pieces.
  func events(of draft: RequestDraft, hasBody: Bool) -> AnyPublisher<TransferEvent, any Error> {
    let events = exchange(draft) { follower, request, body in
      var request = request
      let body = hasBody ? body ?? request.takeBody() : nil
      return follower.acceptedEvents(for: request, body: body)
    }
    return authorizing(events, as: draft) { $0.authorize(events) }
  }

  /// Returns a publisher of the upload's progress, and then of the whole response.
  func upload(_ draft: RequestDraft) -> AnyPublisher<UploadEvent, any Error> {
    let once = exchange(draft) { follower, request, body in
      var request = request
      let body = body ?? request.takeBody()
      return follower.uploadEvents(for: request, body: body)
    }
    let events = api.retry.map { once.retry($0) } ?? once
    return authorizing(events, as: draft) { $0.authorize(events) }
  }

  /// Returns a publisher of the events of a download to a file.
  func download(_ draft: RequestDraft, to file: URL) -> AnyPublisher<DownloadEvent, any Error> {
    let once = exchange(draft) { follower, request, _ in
      Download(
        follower: follower, request: request,
        part: try PartialFile.open(for: file, location: RequestSummary(request).location)
      ).events
    }
    let events = api.retry.map { once.retry($0) } ?? once
    return authorizing(events, as: draft) { $0.authorize(events) }
  }

  /// Returns a publisher that makes and sends the request anew for each subscription.
  ///
  /// It uses a `flatMap` over a publisher of the request only if a closure downstream changes the
  /// request in a task: a `flatMap` would cost more than everything else here.
  private func exchange<Output: Sendable>(
    _ draft: RequestDraft,
    send:
      @escaping @Sendable (RedirectFollower, URLRequest, RequestBody?) throws -> AnyPublisher<
        Output, any Error
      >
  ) -> AnyPublisher<Output, any Error> {
    DeferredInContext { context in
      let transport = api.transport
      let observed = ObservedCall(
        on: transport, in: context, isRedirectable: api.redirects != .never)
      do {
        // In place: a request that is held twice is copied for a change, which costs more than to make it.
        var made = try draft.make(wantsTemplate: !observed.instrumented.isEmpty)
        try api.requestCompression?.compress(&made.request, &made.body)
        let instrumentation = ExchangeInstrumentation.make(
          for: observed, baseURL: api.baseURL, urlTemplate: made.urlTemplate)
        guard let modification = context[RequestModification.Key.self] else {
          var follower = try prepare(
            &made.request, for: observed.call, over: transport, in: context)
          follower.instrumentation = instrumentation
          return observed.ending(try send(follower, made.request, made.body))
        }
        return observed.ending(
          modification.publisher(for: made.request)
            .tryMap { [body = made.body] request in
              var request = request
              var follower = try prepare(&request, for: observed.call, over: transport, in: context)
              follower.instrumentation = instrumentation
              return try send(follower, request, body)
            }
            .mapError { observed.noting($0) }
            .flatMap { $0 }
            .eraseToAnyPublisher())
      } catch {
        return observed.ending(Fail(error: observed.noting(error)).eraseToAnyPublisher())
      }
    }
    .eraseToAnyPublisher()
  }

  /// Adds the header fields from downstream to a request.
  ///
  /// - Returns: The follower that sends the request.
  private func prepare(
    _ request: inout URLRequest, for call: CallPart?, over transport: any Transport,
    in context: SubscriptionContext
  ) throws -> RedirectFollower {
    try context[ResumptionKey.self]?.prepare(&request)
    let binding = try context[SessionBinding.Key.self].flatMap { binding in
      try binding.authorizes(request, ofAPIAt: api.baseURL) ? binding : nil
    }
    let token = binding?.bind(&request)
    call?.prepare(&request)
    var follower = RedirectFollower(
      transport: transport,
      rules: RedirectRules(
        policy: api.redirects, secretHeaders: api.secretHeaders,
        bound: context[RedirectBound.Key.self]),
      call: call)
    follower.binding = binding
    follower.token = token
    if let seat = seat(in: context) {
      follower.seat = CallSeat(
        seat: seat, asker: follower.binding?.asker, timeLimit: request.timeLimit)
    }
    if let limiter = context[RateLimiter.Key.self] ?? api.rateLimiter {
      follower.limiter = CallLimiter(
        limiter: limiter, origin: request.url.map(Origin.init),
        deadline: context[DeadlineRecord.Key.self]?.deadline)
    }
    return follower
  }

  /// The part that may answer in place of the transport: a cache, a coalescer, or both.
  private func seat(in context: SubscriptionContext) -> (any ExchangeSeat)? {
    let coalescer = context[RequestCoalescer.Key.self] ?? api.coalescer
    let wish = context[CacheWish.Key.self]
    guard let cache = wish?.cache ?? api.cache else { return coalescer }
    if wish == nil, coalescer == nil { return cache }
    return CacheSeat(cache, wish: wish, coalescer: coalescer)
  }

  /// Puts a call under the API's session, unless the draft excludes that or the call is already
  /// authorized.
  private func authorizing<Output: Sendable>(
    _ call: AnyPublisher<Output, any Error>, as draft: RequestDraft,
    by authorize: (TokenSession) -> AnyPublisher<Output, any Error>
  ) -> AnyPublisher<Output, any Error> {
    guard draft.authorization == .session, let session = api.session else { return call }
    let authorized = authorize(session)
    return DeferredInContext { context in
      let isAuthorized = context[SessionBinding.Key.self] != nil
      if isAuthorized || session.isRefreshing(in: context) { return call }
      return ObservedCall.begin(
        authorized, on: api.transport, clock: session.scheduler, in: context)
    }
    .eraseToAnyPublisher()
  }
}

extension URLRequest {
  /// Removes and returns the body, to send it in pieces.
  fileprivate mutating func takeBody() -> RequestBody {
    defer { httpBody = nil }
    return .data(httpBody ?? Data())
  }
}

extension RedirectFollower {
  /// Returns the exchange in pieces.
  ///
  /// It fails with a response that refuses the token of a session downstream.
  fileprivate func acceptedEvents(
    for request: URLRequest, body: RequestBody?
  ) -> AnyPublisher<TransferEvent, any Error> {
    let answered = events(for: request, body: body)
    return DeferredInContext { context in
      let events = answered.checked(
        by: context[ResumptionKey.self], for: request, in: call?.journal)
      guard let binding, let call else { return events }
      let summary = RequestSummary(request)
      let answer = ResponseCollector(
        request: summary, limits: transport.limits, journal: call.journal)
      return events.failing(with: answer) { head in
        binding.isRefused(by: RESTResponse(head: head, data: Data(), request: summary))
      }
    }
    .eraseToAnyPublisher()
  }
}

extension AnyPublisher<TransferEvent, any Error> {
  /// Returns the exchange.
  ///
  /// It fails if the response does not continue after the delivered bytes.
  fileprivate func checked(
    by resumption: (any RequestResumption)?, for request: URLRequest, in journal: CallJournal?
  ) -> AnyPublisher<TransferEvent, any Error> {
    guard let range = resumption?.range else { return self }
    let check = ResumedRange(asked: range, request: RequestSummary(request), journal: journal)
    return through(check).eraseToAnyPublisher()
  }
}
