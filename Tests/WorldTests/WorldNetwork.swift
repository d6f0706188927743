import Fixtures
import Foundation
import RESTKit
import Streams
import StreamsTesting

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The network and the servers behind it, in memory and in virtual time.
///
/// It delays, cuts, resets, answers twice, at once and late, redirects and sends `Retry-After`, as
/// is drawn for each request by itself. It notes all that it sees, and complains at once of what
/// should not be there.
final class WorldNetwork: Sendable {
  static let api = "https://api.example.com/v1"
  static let identity = "https://id.example.com"
  static let foreign = "https://files.example.net"

  /// The fate of a request.
  enum Fate: Sendable {
    case answer
    /// The connection is not made.
    case unreachable
    /// The server acts, and its response is lost.
    case lost
    /// The transport waits for as long as transports do.
    case silence
    case status(Int, retryAfter: Int?)
    /// The API refuses whatever token there is.
    case refusal
    case redirect(Int, toForeign: Bool)
  }

  /// One request, as the network saw it.
  struct RecordedExchange: Sendable {
    /// The session that sent it.
    let line: Int
    /// The call that it belongs to; nil for a refresh.
    let call: Int?
    /// Which request of the call it is; empty where there is one only.
    let name: String
    /// Which time it is that something around the request runs it.
    let run: String
    let method: String
    let token: String?
    let key: String?
    /// Whether a redirect led to it.
    let isHop: Bool
    /// Whether it needs no token.
    let isOpen: Bool
    let sent: Duration
    /// Whether it did not get to the server.
    var neverArrived = false
    /// Whether a server acted on it.
    var isProcessed = false
    var status: Int?
    var retryAfter: Int?
    var delivered: Duration?
    var isCancelled = false
  }

  struct State: Sendable {
    var server: WorldServer
    var exchanges: [RecordedExchange] = []
    /// The requests and responses of each call, in order: `>` and a status.
    var stories: [Int: [String]] = [:]
    /// The number of requests of each kind, on which the next draw depends.
    var counts: [String: Int] = [:]
    var complaints: [String] = []
    var isQuiet = false
  }

  let scheduler: TestScheduler
  let plan: WorldPlan
  let state: Lock<State>
  /// Says of a call which sign-in it belongs to, and which there is now.
  let calls = Lock<[Int: WorldCall]>([:])

  init(_ plan: WorldPlan, leeway: Duration, scheduler: TestScheduler) {
    self.plan = plan
    self.scheduler = scheduler
    state = Lock(State(server: WorldServer(plan, leeway: leeway)))
  }

  func complain(_ text: @autoclosure () -> String) {
    let line = "\(scheduler.now): \(text())"
    state.withLock { $0.complaints.append(line) }
  }

  func response(for request: URLRequest, on line: Int) -> AnyPublisher<RESTResponse, any Error> {
    Single { [self] resolve in
      let trip = note(request, on: line)
      return send(request, on: trip, resolve)
    }
    .eraseToAnyPublisher()
  }

  /// Where a request is on its way.
  fileprivate final class Trip: Sendable {
    let number: Int
    let fate: Fate
    let up: Duration
    let down: Duration
    /// Whether it arrives even if its response is no longer wanted.
    let isDeaf: Bool
    let comesTwice: Bool
    private let next = Lock<(any Cancellable)?>(nil)

    init(
      _ number: Int, fate: Fate, up: Duration, down: Duration, isDeaf: Bool, comesTwice: Bool
    ) {
      self.number = number
      self.fate = fate
      self.up = up
      self.down = down
      self.isDeaf = isDeaf
      self.comesTwice = comesTwice
    }

    /// Keeps what stops the part of the way that it is on.
    func hold(_ work: (any Cancellable)?) { next.withLock { $0 = work } }

    func stop() {
      let work = next.withLock { $0.take() }
      if !isDeaf { work?.cancel() }
    }
  }

  private func send(
    _ request: URLRequest, on trip: Trip,
    _ resolve: @escaping Single<RESTResponse, any Error>.Resolve
  ) -> AnyCancellable {
    let deliver: @Sendable (Result<RESTResponse, any Error>, Int?) -> Void = {
      [self] result, token in
      let isWanted = state.withLock { state in
        guard !state.exchanges[trip.number].isCancelled else { return false }
        state.exchanges[trip.number].delivered = scheduler.now
        if case .success(let response) = result {
          state.exchanges[trip.number].status = response.statusCode
          if let call = state.exchanges[trip.number].call {
            state.stories[call, default: []].append("\(response.statusCode)")
          }
        }
        if let token { state.server.noteDelivered(token) }
        return true
      }
      resolve(result)
      if isWanted, trip.comesTwice { resolve(result) }
    }
    let arrive: @Sendable () -> Void = { [self] in
      guard let (result, token) = answer(request, trip) else { return }
      guard trip.down > .zero else { return deliver(result, token) }
      trip.hold(scheduler.schedule(after: trip.down) { deliver(result, token) })
    }
    if trip.up > .zero {
      trip.hold(scheduler.schedule(after: trip.up, arrive))
    } else {
      arrive()
    }
    return AnyCancellable { [self] in
      state.withLock { state in
        if state.exchanges[trip.number].delivered == nil {
          state.exchanges[trip.number].isCancelled = true
        }
      }
      trip.stop()
    }
  }

  // MARK: Requests

  private func note(_ request: URLRequest, on line: Int) -> Trip {
    let url = request.url?.absoluteString ?? ""
    let token = request.value(forHTTPHeaderField: "Authorization")
      .map { $0.replacingOccurrences(of: "Bearer ", with: "") }
    let call = (request.url?.lastPathComponent).flatMap { Int($0) }
    let isHop = url.contains("/hop/")
    if url.hasPrefix(Self.foreign) {
      let secrets = (request.allHTTPHeaderFields ?? [:]).filter {
        $0.key.lowercased() == "x-api-key" || $0.value.contains("secret")
      }
      if !secrets.isEmpty { complain("\(secrets.keys.sorted()) went to \(url)") }
    }
    if url.hasPrefix(Self.identity), token != nil { complain("a refresh carries a token") }
    if let call, let token { check(token, of: call, isHop: isHop) }
    let exchange = RecordedExchange(
      line: line, call: call, name: request.value(forHTTPHeaderField: "Name") ?? "",
      run: request.value(forHTTPHeaderField: "Run") ?? "", method: request.httpMethod ?? "GET",
      token: token, key: request.value(forHTTPHeaderField: "Idempotency-Key"), isHop: isHop,
      isOpen: request.value(forHTTPHeaderField: "Open") != nil, sent: scheduler.now)
    if exchange.isOpen, let token { complain("\(token) goes to \(url), which needs none") }
    let (number, key, isQuiet) = state.withLock { state in
      let kind = call.map { "call \($0)\(exchange.name)" } ?? "refresh of \(line)"
      let count = state.counts[kind, default: 0]
      state.counts[kind] = count + 1
      state.exchanges.append(exchange)
      if let call { state.stories[call, default: []].append(isHop ? ">>" : ">") }
      return (state.exchanges.count - 1, "\(kind), \(count)", state.isQuiet)
    }
    return trip(number, key, isQuiet: isQuiet, isHop: isHop, isRefresh: call == nil)
  }

  /// Looks whether a call may carry a token.
  private func check(_ token: String, of number: Int, isHop: Bool) {
    guard let call = calls.withLock({ $0[number] }) else { return complain("call \(number)?") }
    // A request that was begun runs to its end, redirects included.
    if call.epoch != call.app.epoch, !isHop {
      complain("call \(number) sends \(token) after its user's end")
    }
    let (user, first) = state.withLock { state in
      (
        state.server.user(ofAccess: token),
        state.exchanges.first { exchange in
          exchange.token != nil && exchange.call == number
        }?.token.flatMap { state.server.user(ofAccess: $0) }
      )
    }
    guard let user else { return complain("call \(number) sends \(token), which nobody issued") }
    let owner = first ?? (call.epoch == call.app.epoch ? call.app.user : nil)
    if let owner, owner != user {
      complain("call \(number) of user \(owner) sends the token of user \(user)")
    }
  }

  private func trip(
    _ number: Int, _ key: String, isQuiet: Bool, isHop: Bool, isRefresh: Bool
  ) -> Trip {
    var draw = Draw(plan.seed, key)
    let times: [Duration] = [
      .zero, .zero, .milliseconds(250), .milliseconds(250), .milliseconds(500), .seconds(1),
      .seconds(3),
    ]
    let (up, down) = (draw.pick(times), draw.pick(times))
    var fate = Fate.answer
    if !isQuiet, draw.chance(plan.trouble) {
      switch draw.number(0...(isRefresh ? 6 : 11)) {
      case 0: fate = .unreachable
      case 1, 2: fate = .lost
      case 3: fate = .silence
      case 4: fate = .status(503, retryAfter: nil)
      case 5: fate = .status(503, retryAfter: draw.pick([0, 1, 3, 5, 60]))
      case 6: fate = .status(isRefresh ? 403 : 429, retryAfter: 1)
      case 7, 8: fate = .refusal
      default:
        fate = .redirect(draw.pick([301, 302, 303, 307, 308]), toForeign: draw.chance(40))
      }
    }
    let isSilent = if case .silence = fate { true } else { false }
    return Trip(
      number, fate: fate, up: up, down: isSilent ? .seconds(60) : down, isDeaf: draw.chance(50),
      comesTwice: draw.chance(10))
  }

  // MARK: Responses

  /// A server's response, and the number of the token in it; nil for no response ever.
  private func answer(
    _ request: URLRequest, _ trip: Trip
  ) -> (Result<RESTResponse, any Error>, Int?)? {
    if case .unreachable = trip.fate {
      state.withLock { $0.exchanges[trip.number].neverArrived = true }
      return (.failure(fault(.connectionRefused, request, mayHaveBeenProcessed: false)), nil)
    }
    if case .silence = trip.fate {
      return (.failure(fault(.timedOut, request, mayHaveBeenProcessed: true)), nil)
    }
    let url = request.url?.absoluteString ?? ""
    let (status, headers, body, token) =
      url.hasPrefix(Self.identity) ? renew(request, trip) : serve(request, trip)
    if case .lost = trip.fate {
      return (.failure(fault(.connectionReset, request, mayHaveBeenProcessed: true)), nil)
    }
    guard let url = request.url else { return nil }
    let head = ResponseHead(url: url, statusCode: status, headers: headers)
    let response = RESTResponse(head: head, data: Data(body.utf8), request: RequestSummary(request))
    return (.success(response), token)
  }

  private func fault(
    _ kind: TransportError.Kind, _ request: URLRequest, mayHaveBeenProcessed: Bool
  ) -> RESTError {
    RESTError(
      TransportError(kind: kind, mayHaveBeenProcessed: mayHaveBeenProcessed),
      request: RequestSummary(request))
  }

  private func renew(
    _ request: URLRequest, _ trip: Trip
  ) -> (Int, HTTPHeaders, String, Int?) {
    if case .status(let status, let retryAfter) = trip.fate {
      return (status, retryAfter.map { ["Retry-After": "\($0)"] } ?? [:], "{}", nil)
    }
    let body = String(decoding: request.httpBody ?? Data(), as: UTF8.self)
    let refresh = body.split(separator: "\"").last { $0.hasPrefix("secret") }.map(String.init) ?? ""
    let now = scheduler.now
    let (number, complaint) = state.withLock { state in
      state.server.refresh(refresh, asked: state.exchanges[trip.number].sent, at: now)
    }
    // A store that fails loses what was delivered.
    if let complaint, !plan.storeFails { complain(complaint) }
    guard let number else { return (400, [:], #"{"error": "invalid_grant"}"#, nil) }
    let token = state.withLock { $0.server.tokens[number] }
    let life = plan.lifetime.map { #", "expiresIn": \#($0 / .seconds(1))"# } ?? ""
    return (
      200, [:],
      #"{"accessToken": "\#(token.access)", "refreshToken": "\#(token.refresh)"\#(life)}"#,
      number
    )
  }

  private func serve(
    _ request: URLRequest, _ trip: Trip
  ) -> (Int, HTTPHeaders, String, Int?) {
    let now = scheduler.now
    let url = request.url?.absoluteString ?? ""
    return state.withLock { state in
      let exchange = state.exchanges[trip.number]
      let isForeign = url.hasPrefix(Self.foreign)
      if case .redirect(let status, let toForeign) = trip.fate {
        let base = toForeign ? Self.foreign : "https://api.example.com"
        let target = "\(base)/hop/\(exchange.call ?? 0)"
        return (status, ["Location": target], "", nil)
      }
      if case .refusal = trip.fate, !isForeign {
        state.server.noteRefused(exchange.token)
        return (401, [:], "", nil)
      }
      guard isForeign || exchange.isOpen || state.server.accepts(exchange.token, at: now) else {
        return (401, [:], "", nil)
      }
      state.exchanges[trip.number].isProcessed = true
      if case .status(let status, let retryAfter) = trip.fate {
        state.exchanges[trip.number].retryAfter = retryAfter
        return (status, retryAfter.map { ["Retry-After": "\($0)"] } ?? [:], "", nil)
      }
      return (200, [:], "{}", nil)
    }
  }
}

/// A session's way to the network.
struct WorldLine: Transport {
  let network: WorldNetwork
  let number: Int

  var identity: TransportIdentity { TransportIdentity(of: network) }

  func response(for request: URLRequest) -> AnyPublisher<RESTResponse, any Error> {
    network.response(for: request, on: number)
  }
}
