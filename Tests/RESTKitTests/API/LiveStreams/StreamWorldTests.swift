import Foundation
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting
import Synchronization
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A server of numbered events, and all that may happen to who follows them, by a seed.
private final class StreamWorld: Transport {
  private struct State: Sendable {
    var generator: SeededGenerator
    var token = 0
    var open = 0
    var mostOpen = 0
    var requests = 0
  }

  let total: Int
  let scheduler = TestScheduler()
  private let state: Mutex<State>

  init(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    total = Int.random(in: 1...12, using: &generator)
    state = Mutex(State(generator: generator))
  }

  var mostOpen: Int { state.withLock { $0.mostOpen } }
  var open: Int { state.withLock { $0.open } }
  var requests: Int { state.withLock { $0.requests } }
  var token: String { state.withLock { "t\($0.token)" } }

  func random(in range: ClosedRange<Int>) -> Int {
    state.withLock { Int.random(in: range, using: &$0.generator) }
  }

  func response(for request: URLRequest) -> AnyPublisher<RESTResponse, any Error> {
    Fail(error: URLError(.unsupportedURL)).eraseToAnyPublisher()
  }

  func events(
    for request: URLRequest, body: RequestBody?
  ) -> AnyPublisher<TransferEvent, any Error> {
    Deferred { [self] in
      state.withLock { state in
        state.requests += 1
        state.open += 1
        state.mostOpen = max(state.mostOpen, state.open)
      }
      return answer(to: request).handleEvents(
        receiveCompletion: { [self] _ in close() }, receiveCancel: { [self] in close() })
    }
    .eraseToAnyPublisher()
  }

  private func close() { state.withLock { $0.open -= 1 } }

  private func answer(to request: URLRequest) -> AnyPublisher<TransferEvent, any Error> {
    let last = request.value(forHTTPHeaderField: "Last-Event-ID").flatMap { Int($0) } ?? 0
    if request.value(forHTTPHeaderField: "Authorization") != "Bearer \(token)" {
      return pieces(401, [], for: request)
    }
    if random(in: 0...9) == 0 { return fault(.connectionRefused, for: request) }
    if random(in: 0...9) == 0 { return pieces(503, ["busy"], for: request) }
    if last == total { return pieces(204, [], for: request) }
    let count = random(in: 0...min(4, total - last))
    var text = random(in: 0...3) == 0 ? "retry: \(random(in: 0...500))\n" : ""
    for number in last + 1..<last + 1 + count {
      text += random(in: 0...2) == 0 ? ": remark\n" : ""
      text += "id: \(number)\ndata: event \(number)\n\n"
    }
    let chunks = cut(text)
    switch random(in: 0...3) {
    case 0:
      return pieces(200, chunks, for: request)
    case 1:
      // What an event begins with does not count where its end never comes.
      return pieces(200, chunks + ["id: 99\ndata: ha"], for: request)
        .append(fault(.connectionReset, for: request)).eraseToAnyPublisher()
    case 2:
      state.withLock { $0.token += 1 }
      return pieces(200, chunks, for: request)
    default:
      return pieces(200, chunks, for: request)
        .append(Empty(completeImmediately: false)).eraseToAnyPublisher()
    }
  }

  /// A text in pieces, cut anywhere.
  private func cut(_ text: String) -> [String] {
    var (chunks, rest) = ([String](), Substring(text))
    while !rest.isEmpty {
      let length = random(in: 1...20)
      chunks.append(String(rest.prefix(length)))
      rest = rest.dropFirst(length)
    }
    return chunks
  }

  private func pieces(
    _ status: Int, _ chunks: [String], for request: URLRequest
  ) -> AnyPublisher<TransferEvent, any Error> {
    let url = request.url ?? URL(fileURLWithPath: "/")
    let head = ResponseHead(
      url: url, statusCode: status,
      headers: status == 200 ? ["Content-Type": "text/event-stream"] : [:])
    let events = [.head(head)] + chunks.map { TransferEvent.chunk(Data($0.utf8)) }
    return events.map { ($0, Duration.milliseconds(random(in: 0...400))) }.publisher
      .flatMap(maxPublishers: .max(1)) { [scheduler] event, wait in
        Just(event).delay(for: wait, scheduler: scheduler)
      }
      .setFailureType(to: (any Error).self)
      .eraseToAnyPublisher()
  }

  private func fault(
    _ kind: TransportError.Kind, for request: URLRequest
  ) -> AnyPublisher<TransferEvent, any Error> {
    let fault = TransportError(kind: kind, mayHaveBeenProcessed: kind != .connectionRefused)
    return Fail(error: RESTError(fault, request: RequestSummary(request))).eraseToAnyPublisher()
  }
}

@Suite("Live streams in worlds of seeds", .leakFree)
struct StreamWorldTests {
  private struct API: RESTAPI {
    let baseURL = "https://api.example.com"
    let transport: any Transport
    let session: TokenSession?
  }

  @Test(
    "Each event comes once and in order, one connection is open at a time, no more is delivered than asked for, and a cancel is the end",
    arguments: 0..<40)
  func life(block: Int) {
    for seed in block * 50..<(block + 1) * 50 { follow(UInt64(seed)) }
  }

  private func follow(_ seed: UInt64) {
    let world = StreamWorld(seed: seed)
    let session = TokenSession(
      grant: ClosureGrant { [weak world] _ in
        Just(TokenResponse(accessToken: world?.token ?? "", refreshToken: "r"))
          .setFailureType(to: (any Error).self)
      },
      store: MemoryTokenStore(Credential(accessToken: "t0", refreshToken: "r")),
      scheduler: world.scheduler)
    var retry = RetryPolicy.unbudgeted(world.scheduler)
    retry.generator = SeededGenerator(seed: seed)
    let policy = ReconnectPolicy(
      delay: .milliseconds(200), maxDelay: .seconds(2), silence: .seconds(1), retry: retry)
    let events = TestSubscriber<ServerSentEvent, any Error>(demand: .none)
    API(transport: world, session: session)
      .serverSentEvents(endpoint: "feed", reconnecting: policy).receive(subscriber: events)
    // One world in three is left before its end.
    let left = world.random(in: 0...2) == 0 ? world.random(in: 1...30) : nil
    var asked = 0
    for step in 0..<2_000 where events.completion == nil {
      if step == left { break }
      if world.random(in: 0...2) > 0 {
        let more = world.random(in: 1...3)
        asked += more
        events.request(.max(more))
      }
      world.scheduler.advance(by: .milliseconds(world.random(in: 0...700)))
      #expect(events.values.count <= asked, "seed \(seed)")
    }
    if left == nil || events.completion != nil {
      #expect(events.isFinished, "seed \(seed): \(String(describing: events.completion))")
      #expect(events.values.count == world.total, "seed \(seed)")
    }
    let seen = (events.values.count, world.requests)
    events.cancel()
    #expect(world.open == 0, "seed \(seed)")
    world.scheduler.run()
    #expect((events.values.count, world.requests) == seen, "seed \(seed)")
    #expect(
      events.values.map(\.id) == (1...world.total).prefix(seen.0).map(String.init), "seed \(seed)")
    #expect(world.mostOpen <= 1, "seed \(seed)")
  }
}
