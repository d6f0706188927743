import Fixtures
import Foundation
import RESTKitTesting
import StreamsTesting
import Testing

@testable import RESTKit
@testable import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("The demand of a live stream, and the silence behind a reader that is ahead", .leakFree)
struct StreamDemandTests {
  /// A transport whose events a test sends, and which asks its reader as an engine does.
  private final class Source: Transport {
    let exchange = TestPublisher<TransferEvent, any Error>()
    private let reader = Lock<(any ReadAhead)?>(nil)

    func response(for request: URLRequest) -> AnyPublisher<RESTResponse, any Error> {
      Empty().eraseToAnyPublisher()
    }

    func events(
      for request: URLRequest, body: RequestBody?
    ) -> AnyPublisher<TransferEvent, any Error> {
      DeferredInContext { [self] context in
        let found = context[ReadAheadKey.self]
        reader.withLock { $0 = found }
        return exchange
      }
      .eraseToAnyPublisher()
    }

    /// The sum of all demand.
    var requested: Int { exchange.requests.reduce(0) { $0 + ($1.max ?? 1_000_000) } }

    func sendHead(_ status: Int = 200) throws {
      let url = try #require(URL(string: LiveFeed.url))
      exchange.send(
        .head(ResponseHead(url: url, statusCode: status, headers: LiveFeed.type)))
    }

    func send(_ text: String) { exchange.send(.chunk(Data(text.utf8))) }

    func isReaderAhead() -> Bool {
      let reader = reader.withLock { $0 }
      return reader?.isAhead {} ?? false
    }

    func forget() { reader.withLock { $0 = nil } }
  }

  private let source = Source()
  private let feed = LiveFeed([]) { $0.silence = .seconds(10) }

  private var events: AnyPublisher<ServerSentEvent, any Error> {
    TestAPI(transport: source).serverSentEvents(endpoint: "feed", reconnecting: feed.policy)
  }

  @Test("A subscriber that asks for everything and is busy has 16 events waiting, and no more come")
  func busy() throws {
    events.receive(subscriber: feed.subscriber)
    #expect(source.requested == 16)
    try source.sendHead()
    for number in 1...15 { source.send("data: \(number)\n\n") }
    #expect(source.requested == 16)
    feed.scheduler.advance(by: .zero)
    #expect(feed.data == (1...15).map(String.init))
    #expect(source.requested == 32)
    source.exchange.send(.sent(TransferProgress(completedBytes: 1, totalBytes: nil)))
    #expect(source.requested == 33)
    feed.subscriber.cancel()
  }

  @Test("A response that has ended is not silent, however late its values are read")
  func ended() throws {
    let subscriber = TestSubscriber<TransferEvent, any Error>(demand: .max(1))
    TestAPI(transport: source).events(endpoint: "feed").follow(feed.policy) { request, _ in request
    }
    .receive(subscriber: subscriber)
    try source.sendHead()
    feed.scheduler.advance(by: .zero)
    subscriber.request(.max(1))
    source.send("a")
    source.send("b")
    source.exchange.send(completion: .finished)
    feed.scheduler.advance(by: .zero)
    #expect(subscriber.values.count == 2)
    #expect(feed.scheduler.pendingCount == 0)
    feed.scheduler.advance(by: .seconds(60))
    #expect(subscriber.completion == nil)
    subscriber.cancel()
  }

  @Test("What is asked for before the head comes is asked for once")
  func twice() {
    let subscriber = TestSubscriber<TransferEvent, any Error>(demand: .max(1))
    var policy = feed.policy
    policy.responseTimeout = .seconds(9)
    TestAPI(transport: source).events(endpoint: "feed").follow(policy) { request, _ in request }
      .receive(subscriber: subscriber)
    #expect(source.requested == 1)
    subscriber.request(.max(1))
    #expect(source.requested == 2)
    subscriber.request(.max(3))
    #expect(source.requested == 5)
    subscriber.cancel()
  }

  @Test("Demand of one event asks for one at a time, and what was asked for is not asked for again")
  func one() throws {
    let subscriber = TestSubscriber<ServerSentEvent, any Error>(demand: .max(1))
    events.receive(subscriber: subscriber)
    #expect(source.requested == 1)
    try source.sendHead()
    feed.scheduler.advance(by: .zero)
    #expect(source.requested == 2)
    subscriber.request(.max(3))
    #expect(source.requested == 2)
    source.send("data: a\n\ndata: b\n\n")
    feed.scheduler.advance(by: .zero)
    #expect(subscriber.values.map(\.data) == ["a", "b"])
    #expect(source.requested == 3)
    subscriber.cancel()
  }

  @Test("While the source waits for a slow loop, the server is not silent; then its silence counts")
  func slowLoop() async throws {
    defer { source.forget() }
    var iterator = events.values.makeAsyncIterator()
    try source.sendHead()
    source.send("data: a\n\ndata: b\n\n")
    feed.scheduler.advance(by: .zero)
    #expect(source.isReaderAhead())
    feed.scheduler.advance(by: .seconds(65))
    #expect(source.exchange.cancelCount == 0)
    #expect(try await iterator.next()?.data == "a")
    feed.scheduler.advance(by: .seconds(15))
    #expect(try await iterator.next()?.data == "b")
    // The loop has taken everything at 80 s.
    feed.scheduler.advance(by: .milliseconds(9_999))
    #expect(source.exchange.cancelCount == 0)
    feed.scheduler.advance(by: .milliseconds(1))
    #expect(source.exchange.cancelCount == 1)
    feed.scheduler.advance(by: .seconds(3))
    #expect(source.exchange.subscriptionCount == 2)
  }

  @Test("A loop that has values does not hide the silence of a server that the source waits for")
  func silentServer() async throws {
    defer { source.forget() }
    let iterator = events.values.makeAsyncIterator()
    try source.sendHead()
    feed.scheduler.advance(by: .zero)
    #expect(!source.isReaderAhead())
    source.send("data: a\n\n")
    feed.scheduler.advance(by: .seconds(9))
    #expect(source.exchange.cancelCount == 0)
    feed.scheduler.advance(by: .seconds(1))
    #expect(source.exchange.cancelCount == 1)
    withExtendedLifetime(iterator) {}
  }

  // MARK: The stage

  private func stage(_ silence: Duration?, hold: ReadAheadHold? = nil) -> StreamSilence {
    StreamSilence(
      StreamSilence.Rules(
        limit: { $0 == .stream ? silence : .seconds(60) }, isStream: { $0.statusCode == 200 },
        failure: { _ in TestFailure() }), hold: hold)
  }

  @Test("A busy subscriber does not count as silence")
  func busySubscriber() {
    var outlet = Publishers.Outlet<TransferEvent, any Error>()
    var silence = stage(nil)
    outlet.demand = .unlimited
    silence.receive(.demand(.unlimited), outlet: &outlet)
    silence.receive(.value(.chunk(Data("a".utf8))), outlet: &outlet)
    outlet.now = .seconds(60)
    silence.receive(.wake, outlet: &outlet)
    #expect(outlet.end == nil)
    #expect(outlet.deadline == .seconds(120))
  }

  @Test("A limit that is gone when the time is over ends nothing")
  func limitGone() {
    let isGone = Counter()
    var silence = StreamSilence(
      StreamSilence.Rules(
        limit: { _ in isGone.value > 0 ? nil : .seconds(60) }, isStream: { _ in true },
        failure: { _ in TestFailure() }))
    var outlet = Publishers.Outlet<TransferEvent, any Error>()
    outlet.demand = .unlimited
    silence.receive(.demand(.unlimited), outlet: &outlet)
    #expect(outlet.deadline == .seconds(60))
    isGone.add()
    outlet.deadline = nil
    outlet.now = .seconds(60)
    silence.receive(.wake, outlet: &outlet)
    #expect(outlet.end == nil)
    #expect(outlet.deadline == nil)
  }

  /// A reader that says what a test wants.
  private final class Reader: ReadAhead {
    private let whenTaken = Lock<(@Sendable () -> Void)?>(nil)
    let takesAtOnce: Bool
    let isAhead: Bool

    init(isAhead: Bool, takesAtOnce: Bool = false) {
      (self.isAhead, self.takesAtOnce) = (isAhead, takesAtOnce)
    }

    func isAhead(whenTaken: @escaping @Sendable () -> Void) -> Bool {
      if takesAtOnce { whenTaken() } else { self.whenTaken.withLock { $0 = whenTaken } }
      return isAhead
    }

    func take() {
      let taken = whenTaken.withLock { $0.take() }
      taken?()
    }
  }

  @Test("A hold lasts from the question until the reader has taken its values")
  func hold() {
    let clock = TestScheduler()
    let told = Counter()
    let reader = Reader(isAhead: true)
    let hold = ReadAheadHold(of: reader, clock: clock)
    #expect(!hold.isOn && hold.end == nil)
    #expect(hold.isAhead { told.add() })
    #expect(hold.isOn && hold.end == nil && told.value == 0)
    clock.advance(by: .seconds(5))
    reader.take()
    #expect(!hold.isOn && hold.end == .seconds(5) && told.value == 1)
    let quick = ReadAheadHold(of: Reader(isAhead: true, takesAtOnce: true), clock: clock)
    #expect(quick.isAhead { told.add() })
    #expect(!quick.isOn && quick.end == .seconds(5) && told.value == 2)
    let idle = ReadAheadHold(of: Reader(isAhead: false), clock: clock)
    #expect(!idle.isAhead { told.add() })
    #expect(!idle.isOn && idle.end == nil && told.value == 2)
  }
}
