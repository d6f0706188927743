import Foundation
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A server of numbered events, and of a text, whose responses, breaks and tokens a seed draws.
///
/// The text is what it has at any other path than `feed`; it knows a `Range`. Times are a few
/// ticks, so that much is due at the same moment, in the order that the scheduler draws.
package final class StreamOrderServer: Transport {
  private struct State: Sendable {
    var generator: SeededGenerator
    var acceptedToken: Int? = 0
    var issuedTokens = 0
    var refusals = 0
    var refusalsSinceChunk = 0
    var openCount = 0
    var mostOpen = 0
    var requestCount = 0
    var isRefused = false
    var closedAt: Duration?
    var shortestPause = Duration.seconds(3_600)
  }

  package static let tick = Duration.milliseconds(100)

  package let scheduler: TestScheduler
  /// How many events there are.
  package let total: Int
  package let text: String
  private let state: Lock<State>

  package init(_ scheduler: TestScheduler) {
    var generator = SeededGenerator(seed: scheduler.seed ?? 0)
    self.scheduler = scheduler
    total = Int.random(in: 1...8, using: &generator)
    text = (0..<total).map { "line \($0)\n" }.joined()
    state = Lock(State(generator: generator))
  }

  package func draw(_ range: ClosedRange<Int>) -> Int {
    state.withLock { Int.random(in: range, using: &$0.generator) }
  }

  package func ticks(_ range: ClosedRange<Int>) -> Duration { Self.tick * draw(range) }

  // MARK: Outcome

  package var requestCount: Int { state.withLock { $0.requestCount } }
  package var openCount: Int { state.withLock { $0.openCount } }
  package var mostOpen: Int { state.withLock { $0.mostOpen } }
  /// The shortest time between a connection and the next one, but for those behind a 401.
  package var shortestPause: Duration { state.withLock { $0.shortestPause } }
  /// How many tokens were refused since a stream was last open: with two of them it may fail.
  package var refusals: Int { state.withLock { $0.refusals } }
  /// How many were since a chunk came: with two of them a response that goes on may fail.
  package var refusalsSinceChunk: Int { state.withLock { $0.refusalsSinceChunk } }

  // MARK: Tokens

  package func expireToken() { state.withLock { $0.acceptedToken = nil } }

  /// A refresh that takes its time, and fails for now once in a while, if it may.
  package func refresh(mayFail: Bool = true) -> AnyPublisher<TokenResponse, any Error> {
    let fails = mayFail && draw(0...4) == 0
    return Just(()).delay(for: ticks(0...3), scheduler: scheduler)
      .tryMap { [self] in
        guard !fails else {
          let fault = TransportError(kind: .connectionRefused, mayHaveBeenProcessed: false)
          throw RESTError(fault, request: RequestSummary(method: .post, url: nil))
        }
        return state.withLock { state in
          state.issuedTokens += 1
          state.acceptedToken = state.issuedTokens
          return TokenResponse(accessToken: "t\(state.issuedTokens)", refreshToken: "r")
        }
      }
      .eraseToAnyPublisher()
  }

  /// Whether a request's token is taken, and whether that of the one before was not.
  private func judge(_ request: URLRequest) -> (isTaken: Bool, isRepeated: Bool) {
    let token = request.value(forHTTPHeaderField: "Authorization")
    return state.withLock { state in
      let isTaken = state.acceptedToken.map { token == "Bearer t\($0)" } ?? false
      defer {
        state.isRefused = !isTaken
        if !isTaken {
          state.refusals += 1
          state.refusalsSinceChunk += 1
        }
      }
      return (isTaken, state.isRefused)
    }
  }

  // MARK: Responses

  package func response(for request: URLRequest) -> AnyPublisher<RESTResponse, any Error> {
    Fail(error: TestFailure()).eraseToAnyPublisher()
  }

  package func events(
    for request: URLRequest, body: RequestBody?
  ) -> AnyPublisher<TransferEvent, any Error> {
    Deferred { [self] in
      let answer = answer(to: request)
      open(isRepeated: answer.isRepeated)
      return StubTransport(answer.stub, scheduler: scheduler).events(for: request, body: body)
        .handleEvents(
          receiveOutput: { [self] in note($0) }, receiveCompletion: { [self] _ in close() },
          receiveCancel: { [self] in close() })
    }
    .eraseToAnyPublisher()
  }

  private func open(isRepeated: Bool) {
    let now = scheduler.now
    state.withLock { state in
      state.requestCount += 1
      state.openCount += 1
      state.mostOpen = max(state.mostOpen, state.openCount)
      if let closedAt = state.closedAt, !isRepeated {
        state.shortestPause = min(state.shortestPause, now - closedAt)
      }
    }
  }

  private func note(_ event: TransferEvent) {
    state.withLock { state in
      switch event {
      case .head(let head) where 200...299 ~= head.statusCode: state.refusals = 0
      case .chunk: state.refusalsSinceChunk = 0
      default: break
      }
    }
  }

  private func close() {
    let now = scheduler.now
    state.withLock { state in
      state.openCount -= 1
      state.closedAt = now
    }
  }

  /// A response, and whether its request follows a 401 without a wait.
  private func answer(to request: URLRequest) -> (stub: StubAPIResponse, isRepeated: Bool) {
    let (isTaken, isRepeated) = judge(request)
    let content = request.url?.path == "/feed" ? events(for: request) : part(for: request)
    let stub: StubAPIResponse
    switch draw(0...11) {
    case _ where !isTaken:
      stub = status(401)
    case 0 where content.statusCode != 204:
      stub = status(503, draw(0...1) == 0 ? [:] : ["Retry-After": "\(draw(0...2))"])
    case 1 where content.statusCode != 204:
      stub = StubAPIResponse(request: StubRequest(), result: .fault(.resetBeforeResponse))
    case let chance:
      stub = StubAPIResponse(
        request: StubRequest(), statusCode: content.statusCode, headers: content.headers,
        pieces: content.pieces, end: content.end,
        // A head that takes a day never comes.
        delay: chance == 2 ? .seconds(86_400) : ticks(0...2))
    }
    return (stub, isRepeated)
  }

  private func status(_ status: Int, _ headers: HTTPHeaders = [:]) -> StubAPIResponse {
    StubAPIResponse(
      request: StubRequest(), statusCode: status, headers: headers, pieces: [],
      delay: ticks(0...2))
  }

  /// Some events behind the last one, and perhaps the beginning of one that never ends.
  private func events(for request: URLRequest) -> StubbedResponse {
    let last = request.value(forHTTPHeaderField: "Last-Event-ID").flatMap { Int($0) } ?? 0
    guard last < total else { return .status(204) }
    var text = draw(0...5) == 0 ? "retry: \(draw(0...400))\n" : ""
    for number in last + 1..<last + 1 + draw(0...min(3, total - last)) {
      if draw(0...3) == 0 { text += ": remark\n\n" }
      text += "id: \(number)\ndata: event \(number)\n\n"
    }
    if draw(0...2) == 0 { text += "id: 99\ndata: ha" }
    return StubbedResponse(
      headers: LiveFeed.type, pieces: cut(text), end: BodyEnd.allCases[draw(0...3)])
  }

  /// The text from an offset on, or a part of it.
  private func part(for request: URLRequest) -> StubbedResponse {
    let range = request.value(forHTTPHeaderField: "Range")
    let first = range.flatMap { Int($0.dropFirst("bytes=".count).dropLast()) } ?? 0
    let rest = String(text.dropFirst(first))
    let headers: HTTPHeaders =
      range == nil ? [:] : ["Content-Range": "bytes \(first)-\(text.count - 1)/\(text.count)"]
    let isWhole = draw(0...2) == 0
    return StubbedResponse(
      statusCode: range == nil ? 200 : 206, headers: headers,
      pieces: cut(isWhole ? rest : String(rest.prefix(draw(0...rest.count - 1)))),
      end: isWhole ? .complete : [BodyEnd.cut, .reset, .silence][draw(0...2)])
  }

  /// A text in pieces, cut anywhere.
  private func cut(_ text: String) -> [StubPiece] {
    var (pieces, rest) = ([StubPiece](), text[...])
    while !rest.isEmpty {
      let piece = rest.prefix(draw(1...24))
      pieces.append(.after(ticks(0...3), String(piece)))
      rest = rest.dropFirst(piece.count)
    }
    return pieces
  }
}
