import Fixtures
import Foundation
import RESTKit
import Streams
import StreamsTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Responses that resume after a break, in a thousand orders", .leakFree)
struct RetryStreamInterleavingTests {
  private static func live(_ scheduler: TestScheduler) throws {
    let server = StreamOrderServer(scheduler)
    let session = TokenSession(
      grant: ClosureGrant { _ in server.refresh(mayFail: false) },
      store: MemoryTokenStore(Credential(accessToken: "t0", refreshToken: "r")),
      scheduler: scheduler)
    var policy = RetryPolicy.unbudgeted(scheduler)
    (policy.maxAttempts, policy.maxDelay, policy.totalTime) = (.max, .milliseconds(300), nil)
    policy.generator = SeededGenerator(seed: scheduler.seed ?? 0)
    let leavesInside = server.draw(0...3) == 0
    let lines = TestSubscriber<String, any Error>(demand: .max(server.draw(0...2))) {
      subscriber, _ in
      switch server.draw(0...7) {
      case 0 where leavesInside: subscriber.cancel()
      case 1: subscriber.request(.max(1))
      case 2...4: return .max(server.draw(1...2))
      default: break
      }
      return .none
    }
    TestAPI(baseURL: TestAPI.origin, transport: server, session: session).events(endpoint: "text") {
      request in
      var request = request
      request.timeoutInterval = 2
      return request
    }
    .retry(policy) { request, offset in request.settingHeader("Range", to: "bytes=\(offset)-") }
    .validateStatus()
    .lines()
    .receive(subscriber: lines)
    for _ in 0..<server.draw(0...2) {
      _ = scheduler.schedule(after: server.ticks(0...30)) { server.expireToken() }
    }
    _ = scheduler.schedule(after: StreamOrderServer.tick * 30) { lines.request(.unlimited) }
    scheduler.run()

    try demand(scheduler.pendingCount == 0, "it does not end")
    let count = lines.values.count
    try demand(
      lines.values == (0..<server.total).prefix(count).map { "line \($0)" }, "\(lines.values)")
    try demand(lines.unaskedCount == 0, "more came than was asked for")
    try demand(lines.overlaps == 0, "two signals at a time")
    try demand(server.mostOpen <= 1, "\(server.mostOpen) exchanges at once")
    try demand(server.openCount == 0, "an exchange is left open")
    if leavesInside, lines.completion == nil { return }
    // A call has one refresh until there is something to go on from.
    if server.refusalsSinceChunk > 1, let error = lines.failure as? RESTError {
      return try demand(error.kind == .status(401), "\(error)")
    }
    try demand(lines.isFinished, "\(lines.completions)")
    try demand(count == server.total, "\(lines.values)")
  }

  @Test(
    "Each line comes once and in order, with any cuts, breaks and expiries",
    arguments: (0..<10).map { $0 * 100..<($0 + 1) * 100 } as [Range<UInt64>])
  func lives(seeds: Range<UInt64>) throws {
    try TestScheduler.explore(seeds: seeds, Self.live)
  }
}
