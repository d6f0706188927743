import Foundation
import RESTKit
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The servers of trials whose answers are scripts of stubs.
final class StubbedServers: Sendable {
  /// The gates of the servers' answers.
  let gates = StubbedGates()
  private let servers = Lock<[StubbedServer]>([])

  func add(_ handler: @escaping MockServer.Handler) -> StubbedServer {
    servers.withLock { servers in
      let server = StubbedServer(port: UInt16(servers.count + 2), handler)
      servers.append(server)
      return server
    }
  }

  /// Returns the script of the answer to a request, and the server that notes its end.
  func step(for request: URLRequest, of step: StubStep) -> (step: StubStep, end: StubbedEnd?) {
    let server = servers.withLock { servers in
      servers.first { "\($0.port)" == request.url?.port.map { "\($0)" } }
    }
    var step = step
    guard let server else {
      step.result = .fault(.hostNotFound)
      return (step, nil)
    }
    guard request.url?.scheme == "http" else {
      step.result = .fault(.notTLS)
      return (step, nil)
    }
    guard let (response, id) = server.response(to: request) else {
      step.result = .fault(.connectionRefused)
      return (step, nil)
    }
    return (StubStep(response, at: step, gates), StubbedEnd(server: server, id: id))
  }
}

/// The end of an exchange with a server.
struct StubbedEnd: Sendable {
  let server: StubbedServer
  let id: Int

  /// Notes that the client has ended the exchange before the server has.
  func note() { server.noteEnd(of: id) }
}

/// A server whose answers are scripts of stubs: an exchange is a connection.
final class StubbedServer: TrialServer {
  private struct State {
    var requests: [MockRequest] = []
    var ends: Set<Int> = []
    var isStopped = false
    var waiters:
      [(isDue: @Sendable (State) -> Bool, continuation: CheckedContinuation<Void, Never>)] = []
  }

  let port: UInt16
  private let handler: MockServer.Handler
  private let state = Lock(State())

  init(port: UInt16, _ handler: @escaping MockServer.Handler) {
    self.port = port
    self.handler = handler
  }

  var baseURL: String { "http://127.0.0.1:\(port)" }

  var requests: [MockRequest] { state.withLock { $0.requests } }

  var connectionCount: Int { requests.count }

  func stop() { state.withLock { $0.isStopped = true } }

  func received(_ count: Int) async -> [MockRequest] {
    await wait { $0.requests.count >= count }
    return Array(requests.prefix(count))
  }

  func connectionClosed(_ id: Int) async -> MockConnectionEnd {
    await wait { $0.ends.contains(id) }
    return .client
  }

  /// Returns the answer to a request, and the number of its exchange; nil after a stop.
  func response(to request: URLRequest) -> (MockResponse, Int)? {
    let noted: MockRequest? = change { state in
      guard !state.isStopped else { return nil }
      let id = state.requests.count
      let noted = MockRequest(request, id: id)
      state.requests.append(noted)
      return noted
    }
    return noted.map { (handler($0), $0.connectionID) }
  }

  func noteEnd(of id: Int) { change { _ = $0.ends.insert(id) } }

  private func wait(for isDue: @escaping @Sendable (State) -> Bool) async {
    await withCheckedContinuation { continuation in
      let isOver = state.withLock { state in
        if !isDue(state) { state.waiters.append((isDue, continuation)) }
        return isDue(state)
      }
      if isOver { continuation.resume() }
    }
  }

  private func change<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
    let (result, due) = state.withLock { state in
      let result = body(&state)
      let (waiters, now) = (state.waiters, state)
      state.waiters = waiters.filter { !$0.isDue(now) }
      return (result, waiters.filter { $0.isDue(now) }.map(\.continuation))
    }
    for waiter in due { waiter.resume() }
    return result
  }
}

extension MockRequest {
  /// Creates the request as a client would send it, with the length of its body.
  fileprivate init(_ request: URLRequest, id: Int) {
    let url = StubURL(of: request)
    var headers = (request.allHTTPHeaderFields ?? [:]).map { (name: $0.key, value: $0.value) }
    if let body = request.httpBody { headers.append(("Content-Length", "\(body.count)")) }
    self.init(
      method: request.method.rawValue,
      target: "\(url.path)\(url.query.map { "?\($0)" } ?? "")", headers: headers,
      body: request.httpBody ?? Data(), connectionID: id, index: id)
  }
}

extension StubStep {
  /// Creates the script of a server's response.
  fileprivate init(_ response: MockResponse, at step: StubStep, _ gates: StubbedGates) {
    self.init(
      request: step.request, statusCode: response.status, headers: HTTPHeaders(response.headers),
      result: .success(response.body), delay: .zero, location: step.location)
    func beginning(_ count: Int) -> StubPiece { StubPiece(Data(response.body.prefix(count))) }
    switch response.delivery {
    case .whole: break
    case .cut(let count):
      headers["Content-Length"] = "\(response.body.count)"
      flow = StubFlow(pieces: [beginning(count)], end: .cut)
    // No trial waits for the rest.
    case .paused(let count, _): flow = StubFlow(pieces: [beginning(count)], end: .silence)
    case .chunked(let chunks):
      flow = StubFlow(pieces: chunks.flatMap(StubPiece.pieces), end: .complete)
    case .pieces(let pieces, let end):
      let scripted = pieces.map { piece in
        StubPiece(piece.data, after: piece.gate.map { gates.wait(for: $0) } ?? piece.wait)
      }
      flow = StubFlow(pieces: scripted, end: end)
    case .chunkedCut(let chunks):
      flow = StubFlow(pieces: chunks.flatMap(StubPiece.pieces), end: .cut)
    case .raw(let bytes):
      let lengths = String(decoding: bytes, as: UTF8.self).matches(of: /Content-Length: ([0-9]+)/)
      for length in lengths {
        headers.append(name: "Content-Length", value: String(length.output.1))
      }
      if lengths.isEmpty { result = .fault(.malformedResponse) }
    case .closeBeforeResponse: result = .fault(.closedBeforeResponse)
    case .resetBeforeResponse: result = .fault(.resetBeforeResponse)
    default: result = .fault(.stall)
    }
  }
}

/// A world that plays the answers of a trial's servers.
struct StubbedWorld: StubWorld {
  private let world: any StubWorld
  private let servers: StubbedServers

  init(_ world: any StubWorld, _ servers: StubbedServers) {
    self.world = world
    self.servers = servers
  }

  var limits: TransportLimits { world.limits }

  var clock: any Scheduler { world.clock }

  func answer(_ played: PlayedExchange) -> AnyPublisher<RESTResponse, any Error> {
    let (answered, end) = answered(played)
    return world.answer(answered)
      .handleEvents(
        receiveCompletion: { if case .failure = $0 { end?.note() } }, receiveCancel: { end?.note() }
      )
      .eraseToAnyPublisher()
  }

  func pieces(_ played: PlayedExchange) -> AnyPublisher<TransferEvent, any Error> {
    let (answered, end) = answered(played)
    return world.pieces(answered)
      .handleEvents(receiveCancel: { end?.note() })
      .eraseToAnyPublisher()
  }

  private func answered(_ played: PlayedExchange) -> (PlayedExchange, StubbedEnd?) {
    let (step, end) = servers.step(for: played.request, of: played.step)
    let answered = PlayedExchange(
      request: played.request, play: StubPlay(step), id: played.id, log: played.log)
    return (answered, end)
  }
}
