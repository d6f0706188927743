import Fixtures
import Foundation
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("A live stream continues with a new token", .leakFree)
struct StreamAuthorizationTests {
  /// Where the session of a stream stands: within its API, or around it.
  enum Place: CaseIterable {
    case inside, outside
  }

  /// A session whose refreshes bring t1, t2 and so on, and a server that takes what a script says.
  ///
  /// - Parameter failures: What the first refreshes fail with.
  private func run(
    _ place: Place, _ answers: [(token: String, answer: StubbedResponse)],
    failures: [TransportError.Kind] = []
  ) -> (feed: LiveFeed, stubs: StubTransport) {
    let feed = LiveFeed([])
    let count = Counter()
    let session = TokenSession(
      grant: ClosureGrant { _ -> AnyPublisher<TokenResponse, any Error> in
        count.add()
        if let kind = failures.dropFirst(count.value - 1).first {
          let fault = TransportError(kind: kind, mayHaveBeenProcessed: false)
          let error = RESTError(fault, request: RequestSummary(method: .post, url: nil))
          return Fail(error: error).eraseToAnyPublisher()
        }
        return Just(TokenResponse(accessToken: "t\(count.value)", refreshToken: "r"))
          .setFailureType(to: (any Error).self).eraseToAnyPublisher()
      },
      store: MemoryTokenStore(Credential(accessToken: "t0", refreshToken: "r")),
      scheduler: feed.scheduler)
    let script = StubAPIResponse(
      answers.map { token, answer in
        let request = StubRequest(.get, urlString: LiveFeed.url)
          .header("Authorization", "Bearer \(token)")
        return (request, answer)
      })
    let stubs = StubTransport(
      script ?? StubAPIResponse(request: StubRequest()), scheduler: feed.scheduler)
    let events = TestAPI(transport: stubs, session: place == .inside ? session : nil)
      .serverSentEvents(endpoint: "feed", reconnecting: feed.policy)
    switch place {
    case .inside: events.receive(subscriber: feed.subscriber)
    case .outside: session.authorize(events).receive(subscriber: feed.subscriber)
    }
    feed.scheduler.advance(by: .seconds(60))
    return (feed, stubs)
  }

  @Test(
    "Each expiry causes a refresh, even in the middle of a stream's life",
    arguments: Place.allCases)
  func expiries(place: Place) throws {
    let (feed, stubs) = run(
      place,
      [
        ("t0", .events("id: 1\ndata: a\n\n")), ("t0", .status(401)),
        ("t1", .events("id: 2\ndata: b\n\n", end: .cut)), ("t1", .status(401)),
        ("t2", .events("data: c\n\n", end: .silence)),
      ])
    #expect(feed.data == ["a", "b", "c"])
    #expect(
      stubs.requests.map { $0.value(forHTTPHeaderField: "Last-Event-ID") }
        == [nil, "1", "1", "2", "2"])
    feed.subscriber.cancel()
    try stubs.verify()
  }

  @Test(
    "A refresh that failed temporarily is tried again with the next connection",
    arguments: Place.allCases)
  func refreshFails(place: Place) throws {
    let (feed, stubs) = run(
      place,
      [
        ("t0", .events("id: 1\ndata: a\n\n")), ("t0", .status(401)), ("t0", .status(401)),
        ("t2", .events("data: b\n\n", end: .silence)),
      ], failures: [.connectionRefused])
    #expect(feed.data == ["a", "b"])
    #expect(
      stubs.requests.map { $0.value(forHTTPHeaderField: "Last-Event-ID") } == [nil, "1", "1", "1"])
    feed.subscriber.cancel()
    try stubs.verify()
  }

  @Test("A refresh that failed permanently fails the stream", arguments: Place.allCases)
  func refreshFailsForGood(place: Place) throws {
    let (feed, stubs) = run(
      place,
      [("t0", .events("data: a\n\n")), ("t0", .status(401))], failures: [.invalidRequest])
    #expect(feed.data == ["a"])
    #expect(feed.subscriber.failure is TokenSessionError)
    try stubs.verify()
  }

  @Test("A new token that is refused, too, fails the stream", arguments: Place.allCases)
  func refused(place: Place) throws {
    let (feed, stubs) = run(
      place,
      [
        ("t0", .events("data: a\n\n")), ("t0", .status(401)), ("t1", .status(401)),
      ])
    #expect(feed.data == ["a"])
    #expect(feed.error?.kind == .status(401))
    try stubs.verify()
  }
}
