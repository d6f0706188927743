import Foundation
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A transport that gives one response after another, the last one for ever.
final class AnsweringTransport: Transport {
  typealias Answer = @Sendable (URLRequest) throws -> RESTResponse

  private let answers: [Answer]
  private let count = Atomic(0)

  init(_ answers: Answer...) { self.answers = answers }

  /// The number of requests so far.
  var sends: Int { count.load(ordering: .relaxed) }

  func response(for request: URLRequest) -> AnyPublisher<RESTResponse, any Error> {
    let number = count.add(1, ordering: .relaxed).oldValue
    let answer = answers[min(number, answers.count - 1)]
    return Result { try answer(request) }.publisher.eraseToAnyPublisher()
  }

  static func status(
    _ status: Int, _ headers: HTTPHeaders = [:], body: String = "{}"
  ) -> Answer {
    { request in
      guard let url = request.url else { throw UnsoundError("no URL") }
      return RESTResponse(
        head: ResponseHead(url: url, statusCode: status, headers: headers), data: Data(body.utf8),
        request: RequestSummary(request))
    }
  }
}

/// A transport for streams, each of whose connections brings an event and then breaks; the third
/// one is told that there is no more.
final class BreakingTransport: Transport {
  private let count = Atomic(0)

  func response(for request: URLRequest) -> AnyPublisher<RESTResponse, any Error> {
    Fail(error: UnsoundError("a stream is no whole response")).eraseToAnyPublisher()
  }

  func events(
    for request: URLRequest, body: RequestBody?
  ) -> AnyPublisher<TransferEvent, any Error> {
    let number = count.add(1, ordering: .relaxed).newValue
    guard let url = request.url else {
      return Fail(error: UnsoundError("no URL")).eraseToAnyPublisher()
    }
    let head = ResponseHead(
      url: url, statusCode: number < 3 ? 200 : 204, headers: ["Content-Type": "text/event-stream"])
    guard number < 3 else {
      return Just(TransferEvent.head(head)).setFailureType(to: (any Error).self)
        .eraseToAnyPublisher()
    }
    let chunk = Data("id: \(number)\ndata: event \(number)\n\n".utf8)
    let fault = RESTError(
      TransportError(kind: .connectionReset, mayHaveBeenProcessed: true),
      request: RequestSummary(request))
    return [TransferEvent.head(head), .chunk(chunk)].publisher
      .setFailureType(to: (any Error).self)
      .append(Fail<TransferEvent, any Error>(error: fault))
      .eraseToAnyPublisher()
  }
}

struct WayAPI: RESTAPI {
  var baseURL: String { "https://api.example.com" }
  let transport: any Transport
  var session: TokenSession?
  var cache: HTTPCache?
  var retry: RetryPolicy?
}

func session(_ grant: some TokenGrant) -> TokenSession {
  TokenSession(
    grant: grant,
    store: MemoryTokenStore(
      Credential(
        accessToken: "token", refreshToken: "refresh",
        expiresAt: Date().addingTimeInterval(3_600))))
}

/// A GET whose token is refused, the refresh, and the GET with the new token.
@Sendable func authorizedCall() throws {
  let transport = AnsweringTransport(
    AnsweringTransport.status(401), AnsweringTransport.status(200))
  let session = session(
    ClosureGrant { _ in
      Just(TokenResponse(accessToken: "new", lifetime: .seconds(3_600)))
        .setFailureType(to: (any Error).self)
    })
  let orders = WayAPI(transport: transport, session: session).get(endpoint: "orders")
  try traced {
    guard try outcome(of: orders).map(\.statusCode) == [200] else {
      throw UnsoundError("the call was not repeated")
    }
  }
}

/// A GET whose response is stored, and the same GET, which the cache answers.
@Sendable func cachedCall() throws {
  let transport = AnsweringTransport(
    AnsweringTransport.status(200, ["Cache-Control": "max-age=86400"]))
  let orders = WayAPI(transport: transport, cache: HTTPCache()).get(endpoint: "orders")
  try traced {
    for _ in 1...2 {
      guard try outcome(of: orders).map(\.statusCode) == [200] else {
        throw UnsoundError("there is no response")
      }
    }
    guard transport.sends == 1 else { throw UnsoundError("the cache did not answer") }
  }
}

/// A GET that is answered with 503, a wait, and the same GET.
@Sendable func retriedCall() throws {
  let transport = AnsweringTransport(
    AnsweringTransport.status(503), AnsweringTransport.status(200))
  let scheduler = TestScheduler()
  let orders = WayAPI(transport: transport, retry: RetryPolicy(scheduler: scheduler))
    .get(endpoint: "orders")
  try traced {
    guard try outcome(of: orders, on: scheduler).map(\.statusCode) == [200] else {
      throw UnsoundError("the call was not retried")
    }
  }
}

/// A stream that breaks twice, and ends.
@Sendable func reconnectingStream() throws {
  let scheduler = TestScheduler()
  let api = WayAPI(transport: BreakingTransport(), retry: RetryPolicy(scheduler: scheduler))
  let events = api.serverSentEvents(endpoint: "feed").eraseToAnyPublisher()
  try traced {
    guard try outcome(of: events, on: scheduler).map(\.id) == ["1", "2"] else {
      throw UnsoundError("the stream did not go on")
    }
  }
}

/// A transport that returns the same response to each request at once.
private final class InstantTransport: Transport {
  private let answer: RESTResponse

  init() throws {
    guard let url = URL(string: "https://api.example.com/orders") else {
      throw UnsoundError("no URL")
    }
    answer = RESTResponse(
      head: ResponseHead(
        url: url, statusCode: 200, headers: ["Cache-Control": "max-age=86400"]),
      data: Data("{}".utf8), request: RequestSummary(method: .get, url: url))
  }

  func response(for request: URLRequest) -> AnyPublisher<RESTResponse, any Error> {
    Just(answer).setFailureType(to: (any Error).self).eraseToAnyPublisher()
  }
}

/// Returns a call that is answered at once.
func repeatedCall(_ name: String) throws -> () -> Void {
  func making(_ publisher: AnyPublisher<RESTResponse, any Error>) -> () -> Void {
    { _ = publisher.sink(receiveCompletion: { _ in }, receiveValue: { _ in }) }
  }
  let api = WayAPI(transport: try InstantTransport())
  switch name {
  case "plain": return making(api.get(endpoint: "orders"))
  case "authorized":
    let session = session(ClosureGrant { _ in Empty<TokenResponse, any Error>() })
    return making(session.authorize(api.get(endpoint: "orders")))
  case "session":
    let session = session(ClosureGrant { _ in Empty<TokenResponse, any Error>() })
    return making(
      WayAPI(transport: try InstantTransport(), session: session).get(endpoint: "orders"))
  case "cached": return making(api.get(endpoint: "orders").cached(in: HTTPCache()))
  case "retried": return making(api.get(endpoint: "orders").retry(RetryPolicy()))
  case "coalesced":
    return making(api.get(endpoint: "orders").coalesced(in: RequestCoalescer()))
  case "stubbed":
    let stubs = StubTransport(
      StubAPIResponse(
        request: .init(.get, urlString: "https://api.example.com/orders"), result: .json("{}")
      ).always())
    return making(WayAPI(transport: stubs).get(endpoint: "orders"))
  default: throw UnsoundError("no such call: \(name)")
  }
}
