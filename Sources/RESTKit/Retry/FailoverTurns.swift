import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Which server is asked first, and which have failed lately.
struct FailoverTurns: Sendable {
  private var lastAnswered = 0
  private var next = 0
  /// For each server, the time until which it is asked after the others.
  private var failedUntil: [Duration?]

  init(count: Int) { failedUntil = Array(repeating: nil, count: count) }

  /// Returns the servers for a request, in order.
  mutating func begin(_ order: FailoverTransport.Order, now: Duration) -> [Int] {
    let count = failedUntil.count
    let first: Int
    switch order {
    case .lastAnswered: first = lastAnswered
    case .listed: first = 0
    case .rotating:
      first = next
      next = (next + 1) % count
    }
    let places = (0..<count).map { (first + $0) % count }
    let isPaused = { [failedUntil] (place: Int) in failedUntil[place].map { now < $0 } ?? false }
    return places.filter { !isPaused($0) } + places.filter(isPaused)
  }

  /// Records how a server has answered.
  ///
  /// - Parameter until: The end of its pause, if it has failed.
  mutating func note(_ place: Int, failedUntil until: Duration?) {
    failedUntil[place] = until
    if until == nil { lastAnswered = place }
  }
}

/// What a whole exchange and one in pieces have of their own.
struct FailoverForm<Output: Sendable>: Sendable {
  let send: @Sendable (URLRequest) -> AnyPublisher<Output, any Error>
  /// Whether the request can be sent a second time.
  let isReplayable: Bool
  /// Whether `timeoutInterval` limits the whole exchange, and not a silence.
  let isWhole: Bool
  /// Returns the head in a value; nil if it has none.
  let head: @Sendable (Output) -> ResponseHead?
  /// Returns a value with another head.
  let replacing: @Sendable (Output, ResponseHead) -> Output
}

extension FailoverForm where Output == RESTResponse {
  init(of request: URLRequest, over transport: any Transport) {
    let summary = RequestSummary(request)
    self.init(
      send: { transport.response(for: $0) }, isReplayable: request.httpBodyStream == nil,
      isWhole: true, head: { $0.head },
      replacing: { response, head in
        RESTResponse(
          head: head, data: response.data, request: summary, metrics: response.metrics)
      })
  }
}

extension FailoverForm where Output == TransferEvent {
  init(of request: URLRequest, body: RequestBody?, over transport: any Transport) {
    self.init(
      send: { transport.events(for: $0, body: body) },
      isReplayable: body?.isReplayable ?? (request.httpBodyStream == nil), isWhole: false,
      head: { if case .head(let head) = $0 { head } else { nil } },
      replacing: { _, head in .head(head) })
  }
}
