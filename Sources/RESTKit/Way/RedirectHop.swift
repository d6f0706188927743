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
}

/// One request on the way to a response.
final class RedirectHop<Form: ExchangeForm>: RelayRule {
  let form: Form
  let body: RequestBody?
  private let visited: [RequestSummary]
  let plan: ExchangePlan
  private let state: Lock<HopState>

  /// - Parameters:
  ///   - body: The body that is sent outside the request.
  ///   - visited: The requests that were redirected, first to last.
  init(
    _ form: Form, of request: URLRequest, body: RequestBody?,
    after visited: [RequestSummary] = [], plan: ExchangePlan
  ) {
    self.form = form
    self.body = body
    self.visited = visited
    self.plan = plan
    state = Lock(HopState(request: request, begin: plan.now()))
  }

  /// The request as it was built, until it leaves; then as it left.
  var request: URLRequest { state.withLock { $0.request } }

  var departure: Departure? { state.withLock { $0.departure } }

  var isRedirected: Bool { !visited.isEmpty }

  /// Records that the request leaves now.
  func depart(
    with credential: IssuedCredential?
  ) -> (request: URLRequest, entry: SentRequest?) {
    var request = request
    // Nobody asks about most requests, and they have not waited.
    if credential == nil, plan.limiter == nil, plan.part == nil, !plan.way.hasCache {
      return (request, nil)
    }
    let (begin, date) = (plan.now(), plan.way.cache?.now)
    if let credential, credential !== plan.token {
      request.replaceHeader("Authorization", with: credential.authorization)
    }
    let entry = plan.part?.scope.map { [request] _ in SentRequest(request, body: body) }
    credential?.noteSent()
    let departure =
      credential == nil && date == nil ? nil : Departure(with: credential, at: date)
    let released = state.withLock { [request] state in
      defer {
        state = HopState(request: request, begin: begin, sent: entry, departure: departure)
      }
      return state
    }
    // Releasing a user's body may run the user's code.
    withExtendedLifetime(released) {}
    return (request, entry)
  }

  func successor(of output: inout Form.Output) throws -> RelayLeg<RedirectHop>? {
    let journal = plan.part?.journal
    // Behind a cache, the response to another request may be the answer.
    if !plan.way.hasCache, let departure { form.mark(&output, with: departure, in: journal) }
    guard let response = form.response(beginning: &output, to: request, in: journal)
    else { return nil }
    guard form.isInPieces || RedirectRules.isRedirect(response.statusCode) else { return nil }
    let request = request
    if form.isInPieces, plan.way.hasCache {
      plan.cache.note(response.head, inPiecesTo: request)
    }
    guard var next = try plan.next(after: response, to: request, visited: visited)
    else { return nil }
    var plan = plan
    if plan.binding != nil {
      // The next request gets the token of its own moment. A token that a redirect dropped does not
      // come back.
      if !next.hasField("Authorization") { plan.binding = nil }
      next.replaceHeader("Authorization", with: nil)
      plan.token = nil
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
    if case .failure(let error) = end, let part = plan.part {
      let fault = (error as? RESTError)?.underlyingError as? TransportError
      if fault?.mayHaveBeenProcessed == false { state.withLock { $0.sent }?.noteNeverArrived() }
      throw error.recorded(in: part.journal)
    }
    return nil
  }
}

extension RedirectHop: RestOfWay where Form == WholeExchange {
  var transport: any Transport { plan.transport }

  var asker: SignInSpan? { plan.asker }

  func isRefusal(_ response: RESTResponse) -> Bool {
    guard plan.asker != nil else { return false }
    return response.statusCode == 401 || plan.binding?.refuses(response) == true
  }

  var patience: ExchangePatience? {
    plan.timeLimit.map { limit in
      let (begin, request) = state.withLock { ($0.begin, $0.request) }
      return ExchangePatience(limit: limit, end: begin + (request.timeLimit ?? limit))
    }
  }

  var secretHeaders: [String] { plan.way.rules.secretHeaders }

  func send(adding fields: [HTTPHeaders.Element]) -> AnyPublisher<RESTResponse, any Error> {
    leave(adding: fields)
  }

  func behind(
    _ begin: @escaping @Sendable (any RestOfWay) -> AnyPublisher<RESTResponse, any Error>
  ) -> AnyPublisher<RESTResponse, any Error> {
    DeferredInContext { [request, plan] context in
      let observed = ObservedCall(
        on: plan.transport, in: context, isRedirectable: plan.way.rules.policy != .never)
      var apart = plan
      apart.part = observed.part
      apart.limiter?.deadline = nil
      apart.instrumentation = plan.instrumentation?.apart(for: observed)
      let hop = RedirectHop(WholeExchange(), of: request, body: nil, plan: apart)
      guard let journal = observed.part?.journal else { return begin(hop) }
      journal.recordBuilt(request)
      return observed.ending(
        begin(hop).handleEvents(receiveOutput: { response in
          journal.record(.received(status: response.statusCode, metrics: response.metrics))
        }).eraseToAnyPublisher())
    }
    .eraseToAnyPublisher()
  }

  func join() {
    let entry = plan.part?.scope.map { _ in SentRequest(request, body: body) }
    state.withLock { $0.sent = entry }
    plan.part?.beginExchange(entry, isRedirected: isRedirected, isJoined: true)
  }

  func record(_ event: @autoclosure () -> CallEvent.Kind) {
    plan.part?.journal.record(event())
  }
}
