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

  private let transport: any Transport
  private let server: MockServer
  private let exchanges: PlayedExchanges
  /// The player of what no server can send.
  private let memory: StubMemory

  init(transport: any Transport) throws(MockServerError) {
    self.transport = transport
    let exchanges = PlayedExchanges()
    self.exchanges = exchanges
    memory = StubMemory(scheduler: .continuous)
    server = try MockServer { request in exchanges.response(to: request) }
  }

  var limits: TransportLimits { transport.limits }

  func answer(_ played: PlayedExchange) -> AnyPublisher<RESTResponse, any Error> {
    guard played.step.isOnWire else { return memory.answer(played) }
    exchanges.add(played)
    return transport.response(for: request(of: played))
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
    guard played.step.isOnWire else { return memory.pieces(played) }
    exchanges.add(played)
    return transport.events(for: request(of: played))
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

  private static func restored(_ head: ResponseHead, of played: PlayedExchange) -> ResponseHead {
    ResponseHead(
      url: played.request.url ?? head.url, statusCode: head.statusCode,
      httpVersion: head.httpVersion, headers: head.headers)
  }

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
    var response = MockResponse(played.step, to: played.request)
    if played.step.delay > .zero {
      let gate = MockGate()
      response.gate = gate
      _ = DispatchQueue.global().schedule(after: played.step.delay) { gate.open() }
    }
    return response
  }
}

extension StubStep {
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
  fileprivate init(_ step: StubStep, to request: URLRequest) {
    self.init(status: step.statusCode, headers: Array(step.headers))
    // A cut body needs a length that is not reached. The server leaves a body out where HTTP has
    // none, but a response to HEAD has its length.
    body = step.fault == nil ? (try? step.result.get()) ?? Data() : Data(count: 1_000)
    let half = StubStep.half
    let status = "HTTP/1.1 \(step.statusCode) \(reason)\r\n"
    let wholeHead = head(framing: ("Content-Length", "\(body.count)"), persistence: nil)
    switch step.fault {
    case nil:
      guard step.flow != nil || step.bytesPerSecond != nil && !body.isEmpty else { return }
      // A whole body with a limited speed has a length as any other.
      if step.flow == nil, !hasField("Content-Length"), !hasField("Transfer-Encoding") {
        headers.append(("Content-Length", "\(body.count)"))
      }
      let flow = step.flow(for: request)
      let pace = step.bytesPerSecond.map { Duration.seconds(1) / $0 }
      delivery = .pieces(
        flow.pieces.map { .after($0.wait, $0.data).paced(pace) }, end: flow.end)
    case .closedBeforeResponse: delivery = .closeBeforeResponse
    case .resetBeforeResponse: delivery = .resetBeforeResponse
    case .resetInHeaders: delivery = .rawThenReset(Data("\(status)Content-Ty".utf8))
    case .resetInBody: delivery = .rawThenReset(Data(wholeHead) + half)
    case .bodyCut: delivery = .cut(afterBytes: half.count)
    case .chunkCut: delivery = .chunkedCut([half])
    case .malformedStatusLine: delivery = .raw(Data("HTTQ/1.1 200 OK\r\n\r\n".utf8))
    case .twoLengths:
      let lengths = "Content-Length: \(body.count + 1)\r\nContent-Length: \(body.count)\r\n\r\n"
      delivery = .raw(Data((status + lengths).utf8) + body)
    case .stall: delivery = .hang
    case .stallInBody: delivery = .paused(afterBytes: half.count, until: MockGate())
    // No request comes.
    default: return
    }
  }
}
