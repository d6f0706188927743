import Fixtures
import Foundation
import RESTKit
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Makes the publisher of a call of several requests.
struct WorldAssembly: Sendable {
  typealias Response = AnyPublisher<RESTResponse, any Error>

  let pipeline: WorldPipeline
  let call: WorldCall
  let api: World.API
  let session: TokenSession
  let policy: RetryPolicy
  let network: WorldNetwork
  let makeKey: @Sendable () -> String
  let runs = WorldCount()

  var publisher: Response {
    let parts = pipeline.requests.map { part($0) }
    let firstTwo = pipeline.shape.firstTwo
    let (one, other) = (parts[firstTwo.lowerBound], parts[firstTwo.lowerBound + 1])
    var body = pipeline.shape.beginsWithChain ? Self.chain(one, other) : Self.pair(one, other)
    if pipeline.authorization == .together {
      body = authorized(body, sending: pipeline.requests[firstTwo].map(\.name))
    }
    switch pipeline.shape {
    case .pair, .chain: break
    case .pairThenOne: body = Self.chain(body, parts[2])
    case .chainBesideOne: body = Self.pair(body, parts[2])
    case .oneThenPair: body = Self.chain(parts[0], body)
    }
    switch pipeline.whole {
    case .retried: return body.retry(policy)
    case .authorized: return authorized(body, sending: pipeline.requests.map(\.name))
    case .resent: return resent(body)
    }
  }

  /// One request, with what is its own.
  private func part(_ request: WorldPipeline.Request) -> Response {
    Deferred { [self] () -> Response in
      var part = send(request, run: runs.next())
      if request.resending == .inside { part = resent(part) }
      if request.isAuthorized { part = authorized(part, sending: [request.name]) }
      return request.resending == .outside ? resent(part) : part
    }
    .eraseToAnyPublisher()
  }

  /// - Parameter run: Which time it is that something around the request runs it.
  private func send(_ request: WorldPipeline.Request, run: Int) -> Response {
    let endpoint = "\(request.path)/\(call.number)"
    let modifier: RequestModifier = { [makeKey] original in
      var sent = original.adding("X-Api-Key", "secret-key")
        .adding("Name", request.name).adding("Run", "\(run)")
      if request.isOpen { sent = sent.adding("Open", "yes") }
      return request.makesKey ? sent.adding("Idempotency-Key", makeKey()) : sent
    }
    return request.isPost
      ? api.post(endpoint: endpoint, body: .data(Data("{}".utf8)), requestModifier: modifier)
      : api.get(endpoint: endpoint, requestModifier: modifier)
  }

  private func authorized(_ request: Response, sending names: [String]) -> Response {
    network.watching(
      session.authorize(request), of: call, sending: Set(names), by: session)
  }

  private func resent(_ request: Response) -> Response {
    let pause = Just(()).delay(for: .milliseconds(250), scheduler: network.scheduler)
      .setFailureType(to: (any Error).self)
    return request.retryOnceOnUnauthorizedResponse(chainedRequest: pause)
  }

  /// Both at the same time.
  private static func pair(_ one: Response, _ other: Response) -> Response {
    one.zip(other).map { Self.worse($0.0, $0.1) }.eraseToAnyPublisher()
  }

  /// The second once the first is there.
  private static func chain(_ first: Response, _ second: Response) -> Response {
    first.flatMap { response -> Response in
      guard response.statusCode >= 300 else { return second }
      return Just(response).setFailureType(to: (any Error).self).eraseToAnyPublisher()
    }
    .eraseToAnyPublisher()
  }

  /// Returns the response that a session must see, or else the one for a policy.
  private static func worse(_ one: RESTResponse, _ other: RESTResponse) -> RESTResponse {
    if one.statusCode == 401 { return one }
    return other.statusCode == 401 || other.statusCode > one.statusCode ? other : one
  }
}

/// Counts, from 1.
final class WorldCount: Sendable {
  private let count = Lock(0)

  func next() -> Int {
    count.withLock { count in
      count += 1
      return count
    }
  }
}
