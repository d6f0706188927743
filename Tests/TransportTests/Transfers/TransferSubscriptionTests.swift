import Fixtures
import Foundation
import Streams
import StreamsTesting
import Synchronization
import Testing

@testable import HTTPTransport
@testable import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("An exchange in pieces and its engine", .leakFree)
struct TransferSubscriptionTests {
  private typealias Probe = TestSubscriber<TransferEvent, any Error>

  private func request(timeout: TimeInterval = 60) throws -> URLRequest {
    var request = URLRequest(url: try #require(URL(string: "http://127.0.0.1/a")))
    request.timeoutInterval = timeout
    return request
  }

  @Test("The timeout applies to each silence, and not to the whole exchange")
  func timeout() throws {
    let engine = FeedingEngine()
    engine.events(for: try request(timeout: 7), body: nil)
      .receive(subscriber: Probe())
    let sent = try #require(engine.requests.first)
    #expect(sent.idleTimeout == .seconds(7))
    #expect(sent.timeout == nil)
    #expect(sent.waitLimit == .seconds(7))
  }

  @Test("An engine that is paused during the start of its call is resumed when nothing waits")
  func pausedDuringStart() throws {
    let probe = Probe(demand: .none)
    let resumed = Counter()
    let engine = FeedingEngine { [weak probe] events in
      events.begin(.pauses(resume: { resumed.add() }))
      #expect(events.append(.chunk(Data(count: 200 << 10))).flow == .pause)
      probe?.request(.unlimited)
    }
    engine.events(for: try request(), body: nil)
      .receive(subscriber: probe)
    #expect(probe.values.count == 1)
    #expect(resumed.value == 1)
  }

  @Test("The timeout limits the wait, or else the idle timeout")
  func waitLimit() {
    var request = EngineRequest(url: "http://h/", timeout: .seconds(3))
    request.idleTimeout = .seconds(5)
    #expect(request.waitLimit == .seconds(3))
    request.timeout = nil
    #expect(request.waitLimit == .seconds(5))
    request.idleTimeout = nil
    #expect(request.waitLimit == nil)
  }
}

/// An engine that gives events while it starts a call, and then no end.
private final class FeedingEngine: HTTPEngine {
  private struct State {
    var requests: [EngineRequest] = []
  }

  private let state = Mutex(State())
  private let feed: @Sendable (EventBuffer) -> Void

  /// - Parameter feed: Runs while a call is started.
  init(feed: @escaping @Sendable (EventBuffer) -> Void = { _ in }) {
    self.feed = feed
  }

  var requests: [EngineRequest] { state.withLock { $0.requests } }
  var sendsBodiesAsTheyCome: Bool { true }

  func start(
    _ request: EngineRequest,
    completion: @escaping @Sendable (Result<EngineResponse, TransportError>) -> Void
  ) -> EngineCall {
    state.withLock { state in
      var noted = request
      noted.events = nil
      state.requests.append(noted)
    }
    if let events = request.events { feed(events) }
    return EngineCall(completion: completion) { _ in }
  }

  func shutdown(whenStopped: @escaping @Sendable () -> Void) { whenStopped() }
}
