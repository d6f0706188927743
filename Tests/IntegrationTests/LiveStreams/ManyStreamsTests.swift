#if os(Linux)
  import Foundation
  import RESTKit
  import Streams
  import Synchronization
  import Testing

  extension IntegrationTests.Nginx {
    @Suite("Many streams at once", .timeLimit(.minutes(5)))
    struct ManyStreams {
      private let cancellables = CancelBag()

      /// Opens streams that say one word and then nothing, and returns when each has said it.
      private func open(_ count: Int, _ api: LiveAPI) async -> [String] {
        let topics = (0..<count).map { _ in LiveAPI.topic() }
        let (words, word) = AsyncStream.makeStream(of: String.self)
        for topic in topics {
          cancellables.store(
            api.serverSentEvents(endpoint: "silent/\(topic)")
              .sink(receiveCompletion: { _ in }, receiveValue: { _ in word.yield(topic) }))
        }
        var heard: Set<String> = []
        for await topic in words {
          heard.insert(topic)
          if heard.count == count { break }
        }
        return topics
      }

      @Test("60 streams started at once over HTTP/2 all deliver", arguments: Resets.Server.allCases)
      func sixty(server: Resets.Server) async throws {
        let api = try server.api
        _ = await open(60, api)
        // An ordinary call goes through as well.
        #expect(try await api.get(endpoint: "log/x").value.statusCode == 200)
      }

      @Test("streams whose server is silent from the beginning do not hold up other calls")
      func noHeads() async throws {
        let api = try Resets.Server.hypercorn.api
        let topic = LiveAPI.topic()
        // Their heads come when the topic has a stream.
        let waiting = Task {
          try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<10 {
              group.addTask { try await api.get(endpoint: "opened/\(topic)").value.statusCode }
            }
            return try await group.reduce(into: []) { $0.append($1) }
          }
        }
        for try await _ in api.serverSentEvents(endpoint: "drip/\(topic)").values { break }
        #expect(try await waiting.value == Array(repeating: 204, count: 10))
      }

      @Test("over HTTP/1.1, a transport with seven connections serves six streams and a call")
      func seventh() async throws {
        let transport = try CurlTransport(connectionsPerHost: 7)
        let api = LiveAPI(baseURL: try Peer.events.text, transport: transport)
        _ = await open(6, api)
        #expect(try await api.get(endpoint: "log/x").value.statusCode == 200)
      }

      @Test("six open streams do not hold up the refresh of their session")
      func refresh() async throws {
        let transport = try CurlTransport()
        let issuer = LiveAPI(baseURL: try Peer.events.text, transport: transport)
        let topic = LiveAPI.topic()
        let grant = ClosureGrant { _ in
          issuer.post(endpoint: "refresh/\(topic)", body: nil).decode(type: TokenResponse.self)
        }
        let session = TokenSession(grant: grant)
        try session.signIn(Credential(accessToken: "old", refreshToken: "r"))
        _ = await open(
          6, LiveAPI(baseURL: issuer.baseURL, transport: transport, session: session))
        let other = LiveAPI(
          baseURL: issuer.baseURL, transport: try CurlTransport(), session: session)
        let events = try await other.serverSentEvents(endpoint: "tokens/\(topic)")
          .prefix(3).collect().value
        #expect(events.map(\.id) == ["1", "2", "3"])
        #expect(try await LiveAPI.log(of: topic).refreshes == 1)
      }
    }

    private final class CancelBag: Sendable {
      private let all = Mutex<[AnyCancellable]>([])
      func store(_ one: AnyCancellable) { all.withLock { $0.append(one) } }
    }
  }
#endif
