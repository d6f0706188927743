import Dispatch
import Foundation
import RESTKit
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A player of scripts over a real socket.
struct StubSocket: StubWorld {
  /// The header field with the exchange of a request.
  static let exchangeHeader = "X-RESTKit-Stub"

  /// Returns the gate of a wait; nil for a wait in real time.
  typealias Gate = @Sendable (Duration) -> MockGate?

  private let transport: any Transport
  private let server: MockServer
  private let exchanges: PlayedExchanges
  /// The player of what no server can send.
  private let memory: StubMemory

  /// - Parameter gate: Returns the gates of the waits in a body.
  init(
    transport: any Transport, gate: @escaping Gate = { _ in nil }
  ) throws(MockServerError) {
    self.transport = transport
    let exchanges = PlayedExchanges(gate: gate)
    self.exchanges = exchanges
    memory = StubMemory(scheduler: .continuous, limits: transport.limits)
    server = try MockServer { request in exchanges.response(to: request) }
  }

  var limits: TransportLimits { transport.limits }

  func answer(_ played: PlayedExchange) -> AnyPublisher<RESTResponse, any Error> {
    guard isOnWire(played) else { return memory.answer(played) }
    exchanges.add(played)
    return afterDelay(of: played, transport.response(for: request(of: played)))
      .map { Self.restored($0, of: played) }
      .mapError { Self.restored($0, of: played) }
      .handleEvents(
        receiveOutput: { played.end(.success($0)) },
        receiveCompletion: { [exchanges] completion in
          exchanges.remove(played)
          if case .failure(let error) = completion { played.end(.failure(error)) }
        },
        receiveCancel: { [exchanges] in
          exchanges.remove(played)
          played.cancel()
        }
      )
      // Keeps the server alive while a subscriber waits.
      .map { [server] response in withExtendedLifetime(server) { response } }
      .eraseToAnyPublisher()
  }

  func pieces(_ played: PlayedExchange) -> AnyPublisher<TransferEvent, any Error> {
    guard isOnWire(played) else { return memory.pieces(played) }
    exchanges.add(played)
    return afterDelay(of: played, transport.events(for: request(of: played)))
      .map { event in
        guard case .head(let head) = event else { return event }
        return .head(Self.restored(head, of: played))
      }
      .mapError { Self.restored($0, of: played) }
      .handleEvents(
        receiveCompletion: { [exchanges] _ in exchanges.remove(played) },
        receiveCancel: { [exchanges] in exchanges.remove(played) }
      )
      // Keeps the server alive while a subscriber waits.
      .map { [server] event in withExtendedLifetime(server) { event } }
      .eraseToAnyPublisher()
  }

  /// Whether a server can cause the outcome of an exchange, and in the time of its request.
  private func isOnWire(_ played: PlayedExchange) -> Bool {
    let isLate = played.request.timeLimit.map { played.step.delay > $0 } ?? false
    return played.step.isOnWire && !(isLate && played.step.isBeforeRequest)
  }

  /// Returns the exchange after the delay of a fault that comes before the request reaches the
  /// server, which has all other delays.
  private func afterDelay<Output: Sendable>(
    of played: PlayedExchange, _ exchange: AnyPublisher<Output, any Error>
  ) -> AnyPublisher<Output, any Error> {
    guard played.step.isBeforeRequest, played.step.delay > .zero else { return exchange }
    return Just(()).setFailureType(to: (any Error).self)
      .delay(for: played.step.delay, scheduler: .continuous)
      .flatMap { exchange }
      .eraseToAnyPublisher()
  }

  /// Returns the request to the server that replaces its host.
  private func request(of played: PlayedExchange) -> URLRequest {
    var request = played.request
    let url = StubURL(of: request)
    let query = url.query.map { "?\($0)" } ?? ""
    // The header first, because Foundation traps if it changes a request without a URL.
    request.setValue("\(played.id)", forHTTPHeaderField: Self.exchangeHeader)
    request.url = URL(string: "\(origin(for: played.step.fault))\(url.path)\(query)")
    return request
  }

  private func origin(for fault: StubFault?) -> String {
    switch fault {
    // This domain never has an address (RFC 6761 §6.4).
    case .hostNotFound: "http://stub.invalid"
    // A port that no server listens on.
    case .connectionRefused: "http://127.0.0.1:1"
    case .notTLS, .tlsFailed(.notTLS): "https://127.0.0.1:\(server.port)"
    default: server.baseURL
    }
  }

  private static func restored(_ response: RESTResponse, of played: PlayedExchange) -> RESTResponse
  {
    RESTResponse(
      head: restored(response.head, of: played), data: response.data,
      request: RequestSummary(played.request), metrics: response.metrics)
  }

  /// Returns a head of the script's URL and fields, without those that the server has added.
  private static func restored(_ head: ResponseHead, of played: PlayedExchange) -> ResponseHead {
    let scripted = played.step.headers(for: played.request)
    return ResponseHead(
      url: played.request.url ?? head.url, statusCode: head.statusCode,
      httpVersion: head.httpVersion,
      headers: HTTPHeaders(
        head.headers.filter { name, _ in
          scripted.contains(name) || !added.contains { HTTPHeaders.isSameName($0, name) }
        }))
  }

  /// The fields that the server adds to those of a script.
  private static let added = ["Connection", "Content-Length", "Transfer-Encoding"]

  private static func restored(_ error: any Error, of played: PlayedExchange) -> any Error {
    guard let error = error as? RESTError, let fault = error.underlyingError as? TransportError
    else { return error }
    return RESTError(
      fault, request: RequestSummary(played.request),
      head: error.response.map { restored($0, of: played) }, body: error.body)
  }
}

/// The exchanges whose requests are on their way.
private final class PlayedExchanges: Sendable {
  private let running = Lock<[String: PlayedExchange]>([:])
  private let gate: StubSocket.Gate

  init(gate: @escaping StubSocket.Gate) {
    self.gate = gate
  }

  func add(_ played: PlayedExchange) {
    running.withLock { $0["\(played.id)"] = played }
  }

  func remove(_ played: PlayedExchange) {
    let removed = running.withLock { $0.removeValue(forKey: "\(played.id)") }
    withExtendedLifetime(removed) {}
  }

  func response(to request: MockRequest) -> MockResponse {
    // An engine may repeat a request if its kept connection was dead. It is the same exchange.
    guard let id = request.value(for: StubSocket.exchangeHeader),
      let played = running.withLock({ $0[id] })
    else {
      return .text("This request was not sent through a StubTransport.", status: 500)
    }
    var response = MockResponse(played.step, to: played.request, gate)
    if played.step.delay > .zero {
      let gate = MockGate()
      response.gate = gate
      _ = DispatchQueue.global().schedule(after: played.step.delay) { gate.open() }
    }
    return response
  }
}

extension StubStep {
  /// Whether its outcome comes before its request reaches a server.
  fileprivate var isBeforeRequest: Bool {
    switch fault {
    case .hostNotFound, .connectionRefused, .notTLS, .tlsFailed(.notTLS): true
    default: false
    }
  }

  /// Whether a server can cause its outcome, and not only the client or the test.
  fileprivate var isOnWire: Bool {
    switch result {
    case .success: true
    case .failure(let error): (error as? StubFault)?.isOnWire == true
    }
  }
}

extension MockResponse {
  /// Creates the server's response for a stub's exchange.
  fileprivate init(_ step: StubStep, to request: URLRequest, _ gate: StubSocket.Gate) {
    self.init(status: step.statusCode, headers: Array(step.headers))
    let status = "HTTP/1.1 \(step.statusCode) \(reason)\r\n"
    switch step.fault {
    case nil, .resetInBody, .bodyCut, .chunkCut, .stallInBody: play(step, to: request, gate)
    case .closedBeforeResponse: delivery = .closeBeforeResponse
    case .resetBeforeResponse: delivery = .resetBeforeResponse
    case .resetInHeaders: delivery = .rawThenReset(Data("\(status)Content-Ty".utf8))
    case .malformedStatusLine: delivery = .raw(Data("HTTQ/1.1 200 OK\r\n\r\n".utf8))
    case .twoLengths:
      let lengths = "Content-Length: 2\r\nContent-Length: 1\r\n\r\n"
      delivery = .raw(Data((status + lengths).utf8) + Data(count: 1))
    case .stall: delivery = .hang
    // No request comes.
    default: return
    }
  }

  /// Plays the head and the body, which may end before its length.
  private mutating func play(
    _ step: StubStep, to request: URLRequest, _ gate: StubSocket.Gate
  ) {
    body = (try? step.result.get()) ?? Data()
    let (isChunked, hasLength) = (hasField("Transfer-Encoding"), hasField("Content-Length"))
    // A client refuses the head, whatever comes behind it.
    if !isChunked, hasLength, announcedLength == nil { return }
    // The server sends a whole body as it is, also beside fields that frame another one.
    let isFramed = isChunked || announcedLength.map { $0 != body.count } ?? false
    let isSlow = step.bytesPerSecond != nil && !body.isEmpty
    guard step.flow != nil || step.fault != nil || isFramed || isSlow else { return }
    if step.flow == nil, step.fault != .chunkCut, !hasLength, !isChunked {
      // A cut body needs a length that is not reached.
      headers.append(
        ("Content-Length", "\(step.fault == nil ? body.count : 2 * StubStep.half.count)"))
    }
    let flow = step.flow(for: request)
    let pace = step.bytesPerSecond.map { Duration.seconds(1) / $0 }
    let pieces = flow.pieces.map { piece in
      let wait: MockPiece =
        gate(piece.wait).map { .when($0, piece.data) } ?? .after(piece.wait, piece.data)
      return wait.paced(pace)
    }
    delivery = .pieces(pieces, end: flow.end)
  }
}
