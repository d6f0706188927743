import Foundation
import Streams
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A transport that tries the servers of one API in turn.
///
/// ```swift
/// let servers = ["https://a.example.com/v1", "https://b.example.com/v1"]
/// let transport = try FailoverTransport(CurlTransport(), servers: servers)
/// let api = ShopAPI(baseURL: servers[0], transport: transport)
/// ```
///
/// The API's base URL is the first server. A request below it is sent to the server whose turn it
/// is; another request passes unchanged. Responses and redirects among the servers name the first
/// one, so that sessions, caches and coalescers see one API. Errors name the server that was asked
/// last.
///
/// A request goes on to the next server if that is safe and may help:
///
/// - after a fault of ``faults`` if its method is one of ``methods`` or the server has certainly
///   not processed it,
/// - after a status of ``statuses`` if its method is one of ``methods``.
///
/// Each server is asked once for a request. The last response or failure is delivered. A body that
/// can be sent only once is sent to one server. A request's `timeoutInterval` limits all its
/// servers together; for an exchange in pieces it limits each silence.
///
/// An exchange in pieces does not go on to another server once its head has arrived. If it breaks
/// later, a stream that resumes, such as with `retry(_:resume:)`, does so at another server.
///
/// Signals arrive on the thread of the transport behind this one; after ``answerTimeout``, on the
/// scheduler.
public final class FailoverTransport: Transport {
  /// The order of the servers for a request.
  public enum Order: Sendable, Equatable {
    /// First the server that answered last, then those behind it.
    case lastAnswered
    /// As they are listed: a server and its substitutes.
    case listed
    /// Each request begins with the server behind that of the request before it.
    case rotating
  }

  /// The order of the servers.
  public let order: Order
  /// The most servers that one request is sent to.
  public let mostServers: Int
  /// The longest time until a server's whole response, or until its first sign of an exchange in
  /// pieces; nil if only the request limits it.
  public let answerTimeout: Duration?
  /// The time during which a server that has failed is asked only after the others.
  public let pause: Duration
  /// The methods that may be sent to another server although the first one may have processed them.
  public let methods: Set<HTTPMethod>
  /// The statuses after which another server may answer otherwise.
  public let statuses: Set<Int>
  /// The faults after which another server may answer.
  public let faults: Set<TransportError.Kind>

  private let transport: any Transport
  private let servers: [String]
  private let turns: Lock<FailoverTurns>
  private let scheduler: any Scheduler

  /// - Parameters:
  ///   - transport: The transport of the requests.
  ///   - servers: The base URLs of the servers. The first one is that of the API.
  ///   - order: The order of the servers.
  ///   - mostServers: The most servers that one request is sent to; nil for all of them.
  ///   - answerTimeout: The longest time until a server's whole response, or until its first sign
  ///     of an exchange in pieces; nil if only the request limits it.
  ///   - pause: The time during which a server that has failed is asked only after the others.
  ///   - methods: The methods that may be sent to another server although the first one may have
  ///     processed them.
  ///   - statuses: The statuses after which another server may answer otherwise.
  ///   - faults: The faults after which another server may answer.
  ///   - scheduler: The scheduler that measures the times.
  /// - Throws: ``TransportError`` of kind `invalidOptions` if there is no server, or if a server is
  ///   no base URL or is listed twice.
  public init(
    _ transport: any Transport, servers: [String], order: Order = .lastAnswered,
    mostServers: Int? = nil, answerTimeout: Duration? = nil, pause: Duration = .seconds(10),
    methods: Set<HTTPMethod> = RetryPolicy.idempotentMethods, statuses: Set<Int> = [502, 503, 504],
    faults: Set<TransportError.Kind> = RetryPolicy.transientFaults,
    scheduler: any Scheduler = StandardTime.scheduler()
  ) throws(TransportError) {
    self.servers = try Self.checked(servers)
    self.transport = transport
    self.order = order
    self.mostServers = min(max(mostServers ?? servers.count, 1), servers.count)
    self.answerTimeout = answerTimeout
    self.pause = pause
    self.methods = methods
    self.statuses = statuses
    self.faults = faults
    self.scheduler = scheduler
    turns = Lock(FailoverTurns(count: servers.count))
  }

  private static func checked(_ servers: [String]) throws(TransportError) -> [String] {
    var known: [String] = []
    for (number, server) in servers.enumerated() {
      let base: BaseURL
      do {
        base = try BaseURL(server)
      } catch {
        throw invalid("servers[\(number)] \(error.reason); \(error.remedy)")
      }
      let text = "\(base.scheme)://\(base.authority)\(base.path)"
      if known.contains(text) { throw invalid("servers[\(number)] is listed twice; remove it") }
      known.append(text)
    }
    guard !known.isEmpty else { throw invalid("servers is empty; pass the API's base URL first") }
    return known
  }

  private static func invalid(_ detail: String) -> TransportError {
    TransportError(kind: .invalidOptions, detail: detail, mayHaveBeenProcessed: false)
  }

  /// That of the transport behind this one, which reaches the same API.
  public var identity: TransportIdentity {
    transport.identity.adding("failover \(servers.joined(separator: " "))")
  }

  public var limits: TransportLimits { transport.limits }

  public var observer: CallObserver? { transport.observer }

  public func noteCacheHit(_ response: RESTResponse, for request: URLRequest) {
    transport.noteCacheHit(response, for: request)
  }

  public func response(for request: URLRequest) -> AnyPublisher<RESTResponse, any Error> {
    exchange(request, FailoverForm(of: request, over: transport))
  }

  public func events(
    for request: URLRequest, body: RequestBody?
  ) -> AnyPublisher<TransferEvent, any Error> {
    exchange(request, FailoverForm(of: request, body: body, over: transport))
  }

  private func exchange<Output: Sendable>(
    _ request: URLRequest, _ form: FailoverForm<Output>
  ) -> AnyPublisher<Output, any Error> {
    guard servers.count > 1, let url = request.url,
      let rest = url.absoluteString.rest(below: servers[0])
    else { return form.send(request) }
    return Deferred { [self] in
      let now = scheduler.now
      let run = FailoverRun(
        transport: self, request: request, rest: String(rest), form: form, begin: now,
        places: turns.withLock { $0.begin(order, now: now) })
      return run.leg(0).map { Relay($0).eraseToAnyPublisher() } ?? form.send(request)
    }
    .eraseToAnyPublisher()
  }

  // MARK: For a request on its way

  fileprivate var now: Duration { scheduler.now }

  /// Returns a request to a server.
  fileprivate func request(_ request: URLRequest, to place: Int, rest: String) -> URLRequest {
    var request = request
    request.url = URL(string: servers[place] + rest)
    return request
  }

  fileprivate func limit<Output: Sendable>(
    _ outputs: AnyPublisher<Output, any Error>, of request: URLRequest
  ) -> AnyPublisher<Output, any Error> {
    guard let answerTimeout else { return outputs }
    let (scheduler, summary) = (scheduler, RequestSummary(request))
    return Expiring(outputs, after: answerTimeout, scheduler: scheduler) {
      RESTError(
        TransportError(
          kind: .timedOut,
          detail: "no answer within answerTimeout of the FailoverTransport, \(answerTimeout)",
          mayHaveBeenProcessed: true), request: summary)
    }
    .eraseToAnyPublisher()
  }

  /// Returns a response's head with the first server in the place of the one that answered.
  fileprivate func head(_ head: ResponseHead, of request: URLRequest) -> ResponseHead {
    guard let url = request.url else { return head }
    var headers = head.headers
    // A reference is relative to the server that answered, whose path may be another one.
    if let location = headers["Location"],
      let target = URL(string: location, relativeTo: head.url)?.absoluteString
    {
      for server in servers[1...] {
        guard let rest = target.rest(below: server) else { continue }
        headers.set(name: "Location", value: servers[0] + rest)
        break
      }
    }
    var named = ResponseHead(
      url: url, statusCode: head.statusCode, httpVersion: head.httpVersion, headers: headers)
    named.departure = head.departure
    return named
  }

  fileprivate func note(_ place: Int, hasFailed: Bool) {
    let until = scheduler.now.adding(pause)
    turns.withLock { $0.note(place, failedUntil: hasFailed ? until : nil) }
  }
}

extension String {
  /// The part of a URL behind a base URL without a slash at its end; nil if it is not below it.
  fileprivate func rest(below base: String) -> Substring? {
    guard utf8.starts(with: base.utf8) else { return nil }
    let rest = self[utf8.index(startIndex, offsetBy: base.utf8.count)...]
    return rest.isEmpty || "/?#".contains(rest.first ?? " ") ? rest : nil
  }
}

/// A request on its way from server to server.
private struct FailoverRun<Output: Sendable>: Sendable {
  let transport: FailoverTransport
  let request: URLRequest
  /// The part of the request's URL behind the base URL.
  let rest: String
  let form: FailoverForm<Output>
  let begin: Duration
  /// The servers, in order.
  let places: [Int]

  /// Returns the exchange with the server of a number; nil if none is left, or no time.
  func leg(_ number: Int) -> RelayLeg<FailoverLeg<Output>>? {
    guard number < min(places.count, transport.mostServers), number == 0 || form.isReplayable
    else { return nil }
    var request = transport.request(request, to: places[number], rest: rest)
    if number > 0, form.isWhole, let limit = request.timeLimit {
      let left = limit - (transport.now - begin)
      guard left > .zero else { return nil }
      request.timeoutInterval = left / .seconds(1)
    }
    return RelayLeg(
      transport.limit(form.send(request), of: request),
      rule: FailoverLeg(run: self, number: number))
  }

  /// Whether another server may get the request although this one may have processed it.
  var isRepeatable: Bool { transport.methods.contains(request.method) }
}

/// The exchange with one server, and whether the next one takes over.
private final class FailoverLeg<Output: Sendable>: RelayRule {
  private let run: FailoverRun<Output>
  private let number: Int
  private let hasHead = Atomic<Bool>(false)

  init(run: FailoverRun<Output>, number: Int) {
    self.run = run
    self.number = number
  }

  func successor(of value: inout Output) -> RelayLeg<FailoverLeg<Output>>? {
    guard let head = run.form.head(value) else { return nil }
    hasHead.store(true, ordering: .relaxed)
    let isRefused = run.transport.statuses.contains(head.statusCode)
    run.transport.note(run.places[number], hasFailed: isRefused)
    if isRefused, run.isRepeatable, let next = run.leg(number + 1) { return next }
    value = run.form.replacing(value, run.transport.head(head, of: run.request))
    return nil
  }

  func successor(
    after end: Subscribers.Completion<any Error>
  ) -> RelayLeg<FailoverLeg<Output>>? {
    guard case .failure(let error) = end,
      let fault = (error as? RESTError)?.underlyingError as? TransportError,
      run.transport.faults.contains(fault.kind)
    else { return nil }
    run.transport.note(run.places[number], hasFailed: true)
    guard !hasHead.load(ordering: .relaxed), run.isRepeatable || !fault.mayHaveBeenProcessed
    else { return nil }
    return run.leg(number + 1)
  }
}
