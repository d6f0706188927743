#if os(Linux)
  import Foundation
  import RESTKit
  import Streams
  import Testing

  #if canImport(FoundationNetworking)
    import FoundationNetworking
  #endif

  extension IntegrationTests.Nginx {
    /// Each test keeps its transport until the server has seen the end.
    @Suite("A cancel over HTTP/2", .timeLimit(.minutes(5)))
    struct Resets {
      /// A server with HTTP/2, and the way to ask it what it has seen.
      enum Server: CaseIterable {
        case nginx
        case hypercorn

        var api: LiveAPI {
          get throws {
            var tls = TLSOptions()
            tls.authorities = .file(try Peer.authority.file)
            let base =
              switch self {
              case .nginx: try Peer.http2.text + "/live"
              case .hypercorn: try Peer.hypercorn.text
              }
            return LiveAPI(baseURL: base, transport: try CurlTransport(tls: tls))
          }
        }

        /// The server itself, over connections of its own.
        var witness: LiveAPI {
          get throws {
            switch self {
            case .nginx: LiveAPI(baseURL: try Peer.events.text, transport: SharedTransport())
            case .hypercorn: try api
            }
          }
        }
      }

      /// How a call ends before its response.
      enum End: CaseIterable {
        case loop
        case get
        case timeLimit
        case silence
        case race
        case flatMapLatest
      }

      private static let limit: RequestModifier = { request in
        var request = request
        request.timeoutInterval = 0.3
        return request
      }

      /// Begins a response without end at a topic, leaves it, and returns when that was.
      private func leave(
        _ topic: String, by end: End, _ api: LiveAPI, _ witness: LiveAPI
      ) async throws -> ContinuousClock.Instant {
        let drip = "drip/\(topic)"
        switch end {
        case .loop:
          for try await _ in api.serverSentEvents(endpoint: drip).values { break }
        case .get:
          let call = Task { try await api.post(endpoint: drip, body: nil).value }
          _ = try await witness.get(endpoint: "opened/\(topic)").value
          let begin = ContinuousClock.now
          call.cancel()
          return begin
        case .timeLimit:
          await #expect(throws: RESTError.self) {
            try await api.get(endpoint: drip, requestModifier: Self.limit).value
          }
        case .silence:
          let events = api.transport.events(
            for: URLRequest(
              url: try #require(URL(string: "\(api.baseURL)/silent/\(topic)")),
              timeoutInterval: 0.3))
          await #expect(throws: RESTError.self) { try await events.collect().value }
        case .race:
          let first = try await api.get(endpoint: drip)
            .race(with: api.get(endpoint: "opened/\(topic)")).value
          #expect(first.statusCode == 204)
        case .flatMapLatest:
          let paths = PassthroughSubject<String, any Error>()
          let (statuses, status) = AsyncStream.makeStream(of: Int.self)
          let calls = paths.flatMapLatest { api.get(endpoint: $0) }
            .sink(receiveCompletion: { _ in }, receiveValue: { status.yield($0.statusCode) })
          paths.send(drip)
          _ = try await witness.get(endpoint: "opened/\(topic)").value
          let begin = ContinuousClock.now
          paths.send("log/\(topic)")
          for await one in statuses {
            #expect(one == 200)
            break
          }
          withExtendedLifetime(calls) {}
          return begin
        }
        return .now
      }

      @Test(
        "the server sees a cancel at once, whether others share the connection or not",
        arguments: Server.allCases, [false, true])
      func reset(server: Server, isShared: Bool) async throws {
        let (api, witness) = (try server.api, try server.witness)
        let other = LiveAPI.topic()
        let (words, word) = AsyncStream.makeStream(of: String.self)
        var heard = words.makeAsyncIterator()
        let stream =
          isShared
          ? api.serverSentEvents(endpoint: "prompt/\(other)")
            .sink(receiveCompletion: { _ in }, receiveValue: { word.yield($0.data) }) : nil
        if isShared { _ = try await witness.get(endpoint: "opened/\(other)").value }
        for end in End.allCases {
          var best = Duration.seconds(60)
          // The machine may be busy, so the best of three counts. Each of them must end.
          for _ in 0..<3 {
            let topic = LiveAPI.topic()
            let begin = try await leave(topic, by: end, api, witness)
            _ = try await witness.get(endpoint: "closed/\(topic)").value
            best = min(best, .now - begin)
          }
          #expect(best < .milliseconds(100), "\(end)")
        }
        // The other stream goes on, and so does the transport.
        if isShared {
          _ = try await witness.post(endpoint: "next/\(other)", query: ["number": "7"]).value
          #expect(await heard.next() == "7")
        }
        #expect(try await api.get(endpoint: "log/\(other)").value.statusCode == 200)
        stream?.cancel()
      }

      @Test(
        "the server sees at once that a response is over a limit", arguments: Server.allCases)
      func limits(server: Server) async throws {
        var (tls, limits) = (TLSOptions(), TransportLimits())
        tls.authorities = .file(try Peer.authority.file)
        limits.bodyBytes = 100
        let (transport, topic) = (try CurlTransport(limits: limits, tls: tls), LiveAPI.topic())
        let api = LiveAPI(baseURL: try server.api.baseURL, transport: transport)
        await #expect(throws: RESTError.self) {
          try await api.get(endpoint: "drip/\(topic)").value
        }
        _ = try await server.witness.get(endpoint: "closed/\(topic)").value
        withExtendedLifetime(transport) {}
      }

      @Test(
        "a call that follows a cancel at once takes the same connection", arguments: Server.allCases
      )
      func reuse(server: Server) async throws {
        let (api, witness, topic) = (try server.api, try server.witness, LiveAPI.topic())
        let calls = PassthroughSubject<String, any Error>()
        let (metrics, metric) = AsyncStream.makeStream(of: ExchangeMetrics?.self)
        let latest = calls.flatMapLatest { api.get(endpoint: $0) }
          .sink(receiveCompletion: { _ in }, receiveValue: { metric.yield($0.metrics) })
        calls.send("drip/\(topic)")
        _ = try await witness.get(endpoint: "opened/\(topic)").value
        calls.send("log/\(topic)")
        var told = metrics.makeAsyncIterator()
        #expect(try #require(await told.next())?.isConnectionReused == true)
        _ = try await witness.get(endpoint: "closed/\(topic)").value
        latest.cancel()
      }
    }
  }
#endif
