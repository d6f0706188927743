import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Sends the requests of an API's verbs and endpoints, each in the form in which its response
/// arrives.
///
///     get, post … endpoints     events, live streams       upload         download
///              │                         │                   │               │
///              ▼                         ▼                   ▼               ▼
///          response                   events              upload         download
///              └────────────┬────────────┴─────────┬─────────┴───────────────┘
///                           ▼                      │ around it, except for events:
///                        outputs                   │ the retry policy of the API
///                           │ a Verb: the draft, how it is sent, which output is the response
///                           ▼
///     for each subscription: Way                   reads the API and the context once
///                           │ a RequestPlan, the request that is built, its body in pieces
///                           ▼
///     send    response      plan.response          the redirects are a rule of the verb's own stage
///             with a body   plan.uploadEvents      UploadTail; of its outputs the response alone
///             events        plan.acceptedEvents    ResumedRange, RefusedResponseTail
///             upload        plan.uploadEvents      UploadTail
///             download      Download               RefusedResponseTail, DownloadTail, which
///                                                  writes a PartialFile
///
/// It has no state. The state of a subscription is in its ``Way``. The state of a request is in its
/// ``RequestPlan`` and its ``RedirectHop``.
///
/// The type is not generic over the API, as an extension of the protocol would be. Such code could
/// not be specialized, since each app has its own types, and a type lookup at run time takes longer
/// than making the request.
struct RequestSender: Sendable {
  private let api: any RESTAPI

  init(for api: any RESTAPI) {
    self.api = api
  }

  /// The base URL of the API.
  var baseURL: String { api.baseURL }

  /// Returns a publisher of the whole response, with the repetitions of a policy and of the
  /// session.
  ///
  /// - Parameter retry: The policy; nil for the API's.
  func response(
    to draft: RequestDraft, retry: RetryPolicy? = nil
  ) -> AnyPublisher<RESTResponse, any Error> {
    let response = outputs(of: draft, response: { $0 }) {
      (plan: consuming RequestPlan, request: URLRequest, body: RequestBody?) in
      guard let body else { return plan.response(for: request) }
      return RequestUnderway(
        plan.uploadEvents(for: request, body: body).compactMap(\.response).eraseToAnyPublisher())
    }
    return (retry ?? api.retry).map { response.retry($0) } ?? response
  }

  /// Returns a publisher of the response in pieces.
  ///
  /// - Parameter hasBody: Whether the draft has a body, which is then sent in pieces.
  func events(of draft: RequestDraft, hasBody: Bool) -> AnyPublisher<TransferEvent, any Error> {
    outputs(of: draft, response: \.beginning) { plan, request, body -> RequestUnderway<Unruled> in
      var request = request
      let body = hasBody ? body ?? request.takeBody() : nil
      return RequestUnderway(plan.acceptedEvents(for: request, body: body))
    }
  }

  /// Returns a publisher of the upload's progress, and then of the whole response.
  ///
  /// - Parameter retry: The policy that decides when the request is sent again; nil for the API's.
  func upload(
    _ draft: RequestDraft, retry: RetryPolicy? = nil
  ) -> AnyPublisher<UploadEvent, any Error> {
    let events = outputs(of: draft, response: \.response) {
      plan, request, body -> RequestUnderway<Unruled> in
      var request = request
      let body = body ?? request.takeBody()
      return RequestUnderway(plan.uploadEvents(for: request, body: body))
    }
    return (retry ?? api.retry).map { events.retry($0) } ?? events
  }

  /// Returns a publisher of the events of a download to a file.
  ///
  /// - Parameter retry: The policy that decides when the request is sent again; nil for the API's.
  func download(
    _ draft: RequestDraft, to file: URL, retry: RetryPolicy? = nil
  ) -> AnyPublisher<DownloadEvent, any Error> {
    let events = outputs(of: draft, response: \.end) {
      plan, request, body -> RequestUnderway<Unruled> in
      // It would be lost without a word.
      guard body == nil else {
        throw RESTError(
          .invalidRequest, reason: "a download has no body that is a file or comes in chunks",
          remedy: "Send the body with `events`, or leave it out.",
          request: RequestSummary(request), attempts: 0)
      }
      return RequestUnderway(
        Download(
          plan: plan, request: request,
          part: try PartialFile.open(for: file, location: RequestSummary(request).location)
        ).events)
    }
    return (retry ?? api.retry).map { events.retry($0) } ?? events
  }

  private func outputs<Rule: RelayRule>(
    of draft: RequestDraft, response: @escaping @Sendable (Rule.Output) -> RESTResponse?,
    send: @escaping Verb<Rule>.Send
  ) -> AnyPublisher<Rule.Output, any Error> {
    let isAuthorized = draft.authorization == .session
    let verb = Verb(
      way: { [api] context in
        Way(
          baseURL: api.baseURL, transport: api.transport, redirects: api.redirects,
          secretHeaders: api.secretHeaders, decoder: api.decoder,
          compression: api.requestCompression,
          session: isAuthorized ? api.session : nil, cache: api.cache, coalescer: api.coalescer,
          limiter: api.rateLimiter, in: context)
      }, draft: draft, send: send, response: response)
    return Way.outputs(of: verb)
  }
}

extension URLRequest {
  /// Removes and returns the body, to send it in pieces.
  fileprivate mutating func takeBody() -> RequestBody {
    defer { httpBody = nil }
    return .data(httpBody ?? Data())
  }
}

extension TransferEvent {
  /// The response that begins with this event, without its body.
  fileprivate var beginning: RESTResponse? {
    guard case .head(let head) = self else { return nil }
    return RESTResponse(bodyless: head)
  }
}

extension DownloadEvent {
  /// The response of a file that is complete.
  fileprivate var end: RESTResponse? {
    guard case .finished(let head) = self else { return nil }
    return RESTResponse(bodyless: head)
  }
}

extension RESTResponse {
  fileprivate init(bodyless head: ResponseHead) {
    self.init(head: head, data: Data(), request: RequestSummary(method: .get, url: head.url))
  }
}

extension RequestPlan {
  /// Returns the exchange in pieces.
  ///
  /// It fails with a response that refuses the token, and with one that does not go on from the
  /// right place.
  fileprivate func acceptedEvents(
    for request: URLRequest, body: RequestBody?
  ) -> AnyPublisher<TransferEvent, any Error> {
    let summary = RequestSummary(request)
    var events = events(for: request, body: body)
    if let stage = way.stageOfPieces { events = stage(events, summary) }
    if let resumption {
      let check = ResumedRange(place: resumption, request: summary, journal: scopedCall?.journal)
      events = events.through(check).eraseToAnyPublisher()
    }
    guard let binding, let scopedCall else { return events }
    let refused = ResponseCollector(
      request: summary, limits: transport.limits, journal: scopedCall.journal)
    return events.through(
      RefusedResponseTail(refused, toleratesCut: true) { head in
        binding.isRefused(by: RESTResponse(head: head, data: Data(), request: summary))
      }
    )
    .eraseToAnyPublisher()
  }
}
