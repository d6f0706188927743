import Foundation
import RESTKit
import Streams
import Synchronization
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension IntegrationTests {
  /// Against Starlette under uvicorn, by itself and behind nginx.
  @Suite("Live streams", .timeLimit(.minutes(5)))
  struct LiveStreams {
    private let topic = LiveAPI.topic()
    private let soon = ReconnectPolicy(delay: .milliseconds(10), maxDelay: .milliseconds(50))

    private func feed(
      _ api: LiveAPI, _ path: String, query: QueryItems = [],
      reconnecting policy: ReconnectPolicy? = nil
    ) -> AnyPublisher<ServerSentEvent, any Error> {
      api.serverSentEvents(
        endpoint: "\(path)/\(topic)", query: query,
        reconnecting: policy ?? soon)
    }

    @Test("an event arrives before the server sends the next one", arguments: LiveWay.all)
    func immediate(way: LiveWay) async throws {
      var events = feed(try way.api(), "prompt").values.makeAsyncIterator()
      for number in 1...5 {
        try await LiveAPI.letGo(of: topic, number: number)
        #expect(try await events.next()?.data == "\(number)")
      }
    }

    @Test(
      "a stream that ends or is cut after every three events delivers each event once",
      arguments: LiveWay.all, ["end", "cut"])
    func breaks(way: LiveWay, end: String) async throws {
      let query: QueryItems = ["total": "10", "per": "3", "end": end]
      let events = try await feed(try way.api(), "feed", query: query).collect().value
      #expect(events.map(\.id) == (1...10).map(String.init))
      let log = try await LiveAPI.log(of: topic)
      #expect(log.connections.map(\.id) == ["", "3", "6", "9", "10"])
    }

    @Test("each connection that ends reports its metrics", arguments: LiveWay.all)
    func metrics(way: LiveWay) async throws {
      let told = Mutex<[ExchangeMetrics]>([])
      var api = try way.api()
      let transport = ObservedTransport(api.transport)
      api.transport = transport
      let watch = transport.callEvents.sink { event in
        guard case .transferred(let metrics?) = event.kind else { return }
        told.withLock { $0.append(metrics) }
      }
      let query: QueryItems = ["total": "6", "per": "3", "pace": "20"]
      let events = try await feed(api, "feed", query: query).collect().value
      watch.cancel()
      #expect(events.count == 6)
      // Two that brought three events each; the stream is over with the head of the 204 behind
      // them.
      let all = told.withLock { $0 }
      try #require(all.count >= 2)
      for metrics in all.prefix(2) {
        #expect(try #require(metrics.total) >= .milliseconds(50))
        expectSum(metrics)
      }
    }

    @Test(
      "a server that is killed midway and restarts delivers each event once",
      arguments: TransportKind.allCases)
    func restart(kind: TransportKind) async throws {
      let server = try LiveServer()
      let api = LiveAPI(baseURL: server.address, transport: try kind.makeTransport())
      let query: QueryItems = ["total": "40", "pace": "5"]
      var ids: [String] = []
      for try await event in feed(api, "feed", query: query).values(buffering: .prefetch(1)) {
        ids.append(event.id)
        if ids.count == 10 || ids.count == 25 {
          server.kill()
          try server.start()
        }
      }
      #expect(ids == (1...40).map(String.init))
    }

    @Test("a token that expires is refreshed once for each expiry", arguments: LiveWay.all)
    func expiry(way: LiveWay) async throws {
      let issuer = try way.api()
      let grant = ClosureGrant { [topic] _ in
        issuer.post(endpoint: "refresh/\(topic)", body: nil).decode(type: TokenResponse.self)
      }
      let session = TokenSession(grant: grant)
      try session.signIn(Credential(accessToken: "t0", refreshToken: "r"))
      let events = try await feed(try way.api(session: session), "tokens").collect().value
      #expect(events.map(\.id) == (1...9).map(String.init))
      let log = try await LiveAPI.log(of: topic)
      #expect(
        log.connections.map { "\($0.id) \($0.token)" } == [
          " Bearer t0", "3 Bearer t0", "3 Bearer t1", "6 Bearer t1", "6 Bearer t2", "9 Bearer t2",
        ])
      #expect(log.refreshes == 2)
    }

    @Test("a comment does not count as silence", arguments: LiveWay.all)
    func comments(way: LiveWay) async throws {
      var policy = soon
      policy.silence = .milliseconds(500)
      let events = try await feed(try way.api(), "comments", reconnecting: policy).collect().value
      #expect(events.map(\.id) == ["1"])
      #expect(try await LiveAPI.log(of: topic).connections.map(\.id) == ["", "1"])
    }

    @Test("a stream that is silent for too long is requested again", arguments: LiveWay.all)
    func silence(way: LiveWay) async throws {
      var policy = soon
      policy.silence = .milliseconds(300)
      let events = try await feed(try way.api(), "silent", reconnecting: policy).collect().value
      #expect(events.map(\.id) == ["1", "2", "3"])
      #expect(try await LiveAPI.log(of: topic).connections.map(\.id) == ["", "1", "2", "3"])
      try await LiveAPI.waitForClose(of: topic)
    }

    @Test("a redirect is followed, on each new connection", arguments: LiveWay.all)
    func redirect(way: LiveWay) async throws {
      let query: QueryItems = ["total": "4", "per": "2"]
      let events = try await feed(try way.api(), "moved", query: query).collect().value
      #expect(events.map(\.id) == ["1", "2", "3", "4"])
      let log = try await LiveAPI.log(of: topic)
      #expect(
        log.connections.map { "\($0.path) \($0.id)" } == [
          "moved ", "feed ", "moved 2", "feed 2", "moved 4", "feed 4",
        ])
    }

    @Test("the response to a POST arrives word by word and ends the stream", arguments: LiveWay.all)
    func post(way: LiveWay) async throws {
      let chat = Chat(topic: topic, prompt: "to be continued")
      var words = try way.api().values(for: chat).makeAsyncIterator()
      #expect(try await words.next()?.data == "to")
      #expect(try await words.next()?.data == "be")
      try await LiveAPI.letGo(of: topic)
      #expect(try await words.next()?.data == "continued")
      #expect(try await words.next() == nil)
      let log = try await LiveAPI.log(of: topic)
      #expect(log.connections.map(\.body) == [#"{"prompt":"to be continued"}"#])
    }

    @Test("a cancel midway ends the exchange, as the server confirms", arguments: LiveWay.all)
    func cancel(way: LiveWay) async throws {
      let (words, word) = AsyncStream.makeStream(of: String.self)
      let call = try way.api().publisher(for: Chat(topic: topic, prompt: "one two three"))
        .sink(receiveCompletion: { _ in word.finish() }, receiveValue: { word.yield($0.data) })
      var heard = words.makeAsyncIterator()
      #expect(await heard.next() == "one")
      #expect(await heard.next() == "two")
      call.cancel()
      try await LiveAPI.waitForClose(of: topic)
    }

    @Test("a POST with an expired token is sent once more", arguments: LiveWay.all)
    func postWithExpiredToken(way: LiveWay) async throws {
      let issuer = try way.api()
      let grant = ClosureGrant { [topic] _ in
        issuer.post(endpoint: "refresh/\(topic)", body: nil).decode(type: TokenResponse.self)
      }
      let session = TokenSession(grant: grant)
      try session.signIn(Credential(accessToken: "t0", refreshToken: "r"))
      let chat = Chat(topic: topic, prompt: "hello there", needsToken: true)
      var words = try way.api(session: session).values(for: chat).makeAsyncIterator()
      #expect(try await words.next()?.data == "hello")
      try await LiveAPI.letGo(of: topic)
      #expect(try await words.next()?.data == "there")
      #expect(try await words.next() == nil)
      let log = try await LiveAPI.log(of: topic)
      #expect(log.connections.map(\.token) == ["Bearer t0", "Bearer t1"])
      #expect(log.refreshes == 1)
      #expect(Set(log.connections.map(\.body)) == [#"{"prompt":"hello there"}"#])
    }

    @Test("JSON lines are decoded as values", arguments: LiveWay.all)
    func jsonLines(way: LiveWay) async throws {
      let rows = try await way.api().publisher(for: Rows(topic: topic)).collect().value
      #expect(rows.map(\.number) == [0, 1, 2, 3, 4])
    }
  }
}

/// A response that is written word by word.
private struct Chat: Endpoint {
  typealias Response = EventStream

  let topic: String
  let prompt: String
  var needsToken = false

  var method: HTTPMethod { .post }
  var path: ResourcePath { "chat/\(topic)" }
  var query: QueryItems { needsToken ? ["token": "1"] : [] }
  var body: RequestBody? { .json(["prompt": prompt]) }
}

private struct Rows: Endpoint {
  struct Row: Decodable, Sendable {
    let number: Int
  }

  typealias Response = JSONLines<Row>

  let topic: String
  var path: ResourcePath { "lines/\(topic)" }
}
