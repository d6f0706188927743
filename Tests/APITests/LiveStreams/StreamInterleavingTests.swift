import Fixtures
import Foundation
import RESTKit
import Streams
import StreamsTesting
import Testing

/// The lives of streams in orders that are drawn: answers, breaks, silence, refreshes, demand and
/// cancels that are due at one moment happen in any order, and a subscriber asks and cancels while
/// it is served.
@Suite("Live streams in thousands of orders", .leakFree)
struct StreamInterleavingTests {
  private typealias Subscriber = TestSubscriber<ServerSentEvent, any Error>

  /// A stream, and who follows it.
  private final class Life: Sendable {
    let server: StreamOrderServer
    let subscriber: Subscriber
    private let counts = Lock<(values: Int, requests: Int)?>(nil)

    init(_ scheduler: TestScheduler, leaves: Bool) {
      let server = StreamOrderServer(scheduler)
      self.server = server
      let cancel = Lock<(@Sendable () -> Void)?>(nil)
      subscriber = Subscriber(demand: .max(server.draw(0...2))) { subscriber, _ in
        switch server.draw(0...7) {
        case 0 where leaves: cancel.withLock { $0 }?()
        case 1: subscriber.request(.max(1))
        case 2...4: return .max(server.draw(1...2))
        default: break
        }
        return .none
      }
      cancel.withLock { $0 = { [weak self] in self?.leave() } }
    }

    /// The numbers of received and requested events at the cancel; nil without a cancel.
    var left: (values: Int, requests: Int)? { counts.withLock { $0 } }

    func leave() {
      subscriber.cancel()
      let now = (subscriber.values.count, server.requestCount)
      counts.withLock { if $0 == nil { $0 = now } }
    }

    func begin() {
      let server = server
      let session = TokenSession(
        grant: ClosureGrant { _ in server.refresh() },
        store: MemoryTokenStore(Credential(accessToken: "t0", refreshToken: "r")),
        scheduler: server.scheduler)
      var retry = RetryPolicy.unbudgeted(server.scheduler)
      retry.generator = SeededGenerator(seed: server.scheduler.seed ?? 0)
      var policy = ReconnectPolicy(
        delay: StreamOrderServer.tick * 2, maxDelay: .seconds(1), silence: .seconds(1),
        retry: retry)
      policy.responseTimeout = .seconds(2)
      let isInside = server.draw(0...1) == 0
      let events = TestAPI(
        baseURL: TestAPI.origin, transport: server, session: isInside ? session : nil
      )
      .serverSentEvents(endpoint: "feed", reconnecting: policy)
      (isInside ? events : session.authorize(events)).receive(subscriber: subscriber)
    }
  }

  private static func live(_ scheduler: TestScheduler, leaves: Bool) throws {
    let life = Life(scheduler, leaves: leaves)
    let (server, subscriber) = (life.server, life.subscriber)
    life.begin()
    for _ in 0..<server.draw(0...6) {
      let more = Subscribers.Demand.max(server.draw(1...2))
      _ = scheduler.schedule(after: server.ticks(0...30)) { subscriber.request(more) }
    }
    for _ in 0..<server.draw(0...2) {
      _ = scheduler.schedule(after: server.ticks(0...30)) { server.expireToken() }
    }
    if leaves { _ = scheduler.schedule(after: server.ticks(0...40)) { life.leave() } }
    _ = scheduler.schedule(after: StreamOrderServer.tick * 30) { subscriber.request(.unlimited) }
    scheduler.run()

    try demand(scheduler.pendingCount == 0, "it does not end")
    let ids = subscriber.values.map(\.id)
    try demand(ids == (1...server.total).prefix(ids.count).map(String.init), "\(ids)")
    try demand(subscriber.unaskedCount == 0, "more came than was asked for")
    try demand(subscriber.overlaps == 0, "two signals at a time")
    try demand(server.mostOpen <= 1, "\(server.mostOpen) connections at once")
    try demand(server.openCount == 0, "a connection is left open")
    try demand(
      server.shortestPause >= StreamOrderServer.tick, "a pause of \(server.shortestPause)")
    if let left = life.left, subscriber.completion == nil {
      try demand(ids.count == left.values, "delivered after the cancel")
      try demand(server.requestCount == left.requests, "asked for after the cancel")
    } else if server.refusals > 1, let error = subscriber.failure as? RESTError {
      try demand(error.kind == .status(401), "\(error)")
    } else {
      try demand(subscriber.isFinished, "\(subscriber.completions)")
      try demand(ids.count == server.total, "\(ids) of \(server.total)")
    }
  }

  /// Blocks of seeds, which run side by side.
  static let blocks: [Range<UInt64>] = (0..<10).map { $0 * 100..<($0 + 1) * 100 }

  @Test(
    "Each event comes once, in order and on demand, over one connection at a time",
    arguments: blocks)
  func whole(seeds: Range<UInt64>) throws {
    try TestScheduler.explore(seeds: seeds) { try Self.live($0, leaves: false) }
  }

  @Test("After a cancel at any time, nothing is delivered or requested", arguments: blocks)
  func left(seeds: Range<UInt64>) throws {
    try TestScheduler.explore(seeds: seeds) { try Self.live($0, leaves: true) }
  }
}
