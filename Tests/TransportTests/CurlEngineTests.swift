#if os(Linux)
  import Fixtures
  import Foundation
  import RESTKitTesting
  import Synchronization
  import Testing

  @testable import HTTPTransport
  @testable import RESTKit

  @Suite("Behavior that only the libcurl engine has")
  struct CurlEngineTests {
    private func make(_ change: (inout CurlConfiguration) -> Void = { _ in }) throws -> CurlEngine {
      var configuration = CurlConfiguration()
      configuration.security.proxy = .none
      change(&configuration)
      return try CurlEngine(configuration: configuration)
    }

    private func answer(_ text: String) throws -> MockServer {
      try MockServer { _ in MockResponse(status: 200, delivery: .raw(Data(text.utf8))) }
    }

    @Test("libcurl opens and gives its name and version")
    func library() throws {
      let library = try CurlLibrary.load()
      #expect(library.version.contains("."))
      #expect(library.name.hasPrefix("libcurl"))
    }

    @Test("A path is sent as it is written, and a fragment is not sent")
    func path() async throws {
      let server = try MockServer { _ in .text("ok") }
      defer { server.stop() }
      let path = "/a/../b/./c//%2e%2E/d%2Fe?q=a+b%20c&=&;"
      _ = try await make().response(EngineRequest(url: server.baseURL + path + "#fragment"))
      #expect(server.requests.first?.target == path)
    }

    @Test("Trailers are read, separately from headers")
    func trailers() async throws {
      let server = try answer(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n"
          + "2\r\nok\r\n0\r\nX-Sum: 42\r\n\r\n")
      defer { server.stop() }
      let response = try await make().response(EngineRequest(url: server.baseURL))
      #expect(response.body == Data("ok".utf8))
      #expect(response.trailers["x-sum"] == "42")
      #expect(response.headers["x-sum"] == nil)
    }

    @Test(
      "The chunks of each response are checked, with any line ends, even after a valid response",
      .enabled(if: (try? CurlLibrary.load())?.showsChunks == true))
    func chunksOfEach() async throws {
      let server = try MockServer { request in
        let chunk = request.path == "/good" ? "2\r\nok\r\n" : "2x\r\nok\r\n"
        let end = request.path == "/bare" ? "\n" : "\r\n"
        let head = "HTTP/1.1 200 OK\(end)Transfer-Encoding: chunked\(end)\(end)"
        return MockResponse(
          status: 200, delivery: .raw(Data((head + chunk + "0\r\n\r\n").utf8)))
      }
      defer { server.stop() }
      let results = try await make().results(
        ["/good", "/bad", "/good", "/bare", "/good"].map { EngineRequest(url: server.baseURL + $0) }
      )
      let kinds = results.map { result -> TransportError.Kind? in
        if case .failure(let fault) = result { fault.kind } else { nil }
      }
      #expect(kinds == [nil, .malformedResponse, nil, .malformedResponse, nil])
    }

    @Test(
      "The data before a malformed chunk arrive before the failure, also from one packet",
      .enabled(if: (try? CurlLibrary.load())?.showsChunks == true))
    func dataBeforeMalformedChunk() async throws {
      let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
      for bad in ["2x\r\nno\r\n", "zz\r\n", "\r\n"] {
        let server = try answer(head + "5\r\nhello\r\n3\r\nyou\r\n" + bad + "0\r\n\r\n")
        defer { server.stop() }
        let received = Mutex(Data())
        var request = EngineRequest(url: server.baseURL)
        request.onEvent = { event in
          if case .chunk(let chunk) = event { received.withLock { $0 += chunk } }
          return .more
        }
        guard case .failure(let fault) = await (try make()).result(request) else {
          Issue.record("\(bad) is accepted")
          continue
        }
        #expect(fault.kind == .malformedResponse)
        #expect(received.withLock { $0 } == Data("helloyou".utf8), "\(bad)")
      }
    }

    @Test("A folded line of a trailer continues the line before it")
    func foldedTrailer() async throws {
      let server = try answer(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
          + "2\r\nok\r\n0\r\nX-Sum: 4\r\n  2\r\n\r\n")
      defer { server.stop() }
      let response = try await make().response(EngineRequest(url: server.baseURL))
      #expect(response.trailers["X-Sum"] == "4 2")
    }

    @Test(
      "Responses that crash a process with URLSession end only a call here",
      arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775807\r\n\r\nx",
        "HTTP/1.1 302 Found\r\nLocation: //[::1]/x\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 302 Found\r\nLocation: //a%20b/\r\nContent-Length: 0\r\n\r\n",
      ])
    func hostile(answer text: String) async throws {
      let server = try answer(text)
      defer { server.stop() }
      switch await (try make()).result(EngineRequest(url: server.baseURL)) {
      case .success(let response): #expect(response.status == 302)
      case .failure(let fault): #expect(fault.kind == .bodyCut)
      }
    }

    @Test("Header lines keep their order, spelling and duplicates")
    func headerLines() async throws {
      let server = try answer(
        "HTTP/1.1 200\r\nSet-Cookie: a=1; Expires=Thu, 01 Jan 2026 00:00:00 GMT\r\n"
          + "x-odd:no blank\r\nSET-COOKIE: b=2\r\nX-Empty:\r\nX-Latin: gr\u{FC}n \r\n"
          + "X-Folded: one\r\n  two\r\nContent-Length: 0\r\n\r\n")
      defer { server.stop() }
      let response = try await make().response(EngineRequest(url: server.baseURL))
      #expect(
        response.headers.map(\.name) == [
          "Set-Cookie", "x-odd", "SET-COOKIE", "X-Empty", "X-Latin", "X-Folded", "Content-Length",
        ])
      #expect(response.headers.values(for: "Set-Cookie").last == "b=2")
      #expect(response.headers["X-Odd"] == "no blank")
      #expect(response.headers["X-Empty"] == "")
      #expect(response.headers["X-Latin"] == "grün")
      #expect(response.headers["X-Folded"] == "one two")
      #expect(response.httpVersion == "HTTP/1.1")
    }

    @Test("A header in ISO 8859-1 is read in that encoding")
    func latin() async throws {
      let server = try MockServer { _ in
        MockResponse(
          status: 200,
          delivery: .raw(
            Data("HTTP/1.1 200 OK\r\nX: gr".utf8) + [0xFC]
              + Data("n\r\nContent-Length: 0\r\n\r\n".utf8)))
      }
      defer { server.stop() }
      let response = try await make().response(EngineRequest(url: server.baseURL))
      #expect(response.headers["X"] == "grün")
    }

    @Test("Duplicate header lines of a request are sent unchanged, in order")
    func duplicates() async throws {
      let server = try MockServer { _ in .text("ok") }
      defer { server.stop() }
      _ = try await make().response(
        EngineRequest(url: server.baseURL, headers: ["X-M": "1", "X-N": "2", "x-m": "3"]))
      let lines = try #require(server.requests.first).headers.filter { $0.name.count == 3 }
      #expect(lines.map(\.name) == ["X-M", "X-N", "x-m"])
      #expect(lines.map(\.value) == ["1", "2", "3"])
    }

    @Test("A GET may have a body; a POST without one says so")
    func bodies() async throws {
      let server = try MockServer { _ in .text("ok") }
      defer { server.stop() }
      let engine = try make()
      _ = try await engine.response(EngineRequest(url: server.baseURL, body: Data("{}".utf8)))
      _ = try await engine.response(EngineRequest(url: server.baseURL, method: "POST"))
      #expect(server.requests.map(\.method) == ["GET", "POST"])
      #expect(server.requests.map(\.body) == [Data("{}".utf8), Data()])
      #expect(server.requests.map { $0.value(for: "Content-Length") } == ["2", "0"])
    }

    @Test("A redirect keeps its body")
    func redirect() async throws {
      let server = try MockServer { _ in
        MockResponse(status: 302, headers: [("Location", "/x")], body: Data("moved".utf8))
      }
      defer { server.stop() }
      let response = try await make().response(EngineRequest(url: server.baseURL))
      #expect(response.body == Data("moved".utf8))
    }

    @Test("A call that times out in the queue fails unsent, and leaves the queue")
    func line() async throws {
      let gate = MockGate()
      let server = try MockServer { request in .text(request.path, gate: gate) }
      defer { server.stop() }
      let engine = try make { $0.maxConnectionsPerHost = 1 }
      async let first = engine.result(EngineRequest(url: server.baseURL + "/first"))
      _ = try await server.received(1)
      let late = engine.start(EngineRequest(url: server.baseURL + "/cancelled")) { _ in }
      async let last = engine.result(EngineRequest(url: server.baseURL + "/last"))
      let fault = try #require(
        await engine.fault(
          EngineRequest(url: server.baseURL + "/late", timeout: .milliseconds(50))))
      #expect(fault.kind == .timedOut)
      #expect(!fault.mayHaveBeenProcessed)
      late.cancel()
      gate.open()
      #expect(try await first.get().status == 200)
      #expect(try await last.get().status == 200)
      #expect(server.requests.map(\.path) == ["/first", "/last"])
    }

    @Test("One host's queue does not delay another host")
    func fairness() async throws {
      let busy = try MockServer { _ in MockResponse(status: 200, delivery: .hang) }
      defer { busy.stop() }
      let free = try MockServer { _ in .text("ok") }
      defer { free.stop() }
      let engine = try make { $0.maxConnectionsPerHost = 2 }
      for _ in 0..<500 { _ = engine.start(EngineRequest(url: busy.baseURL)) { _ in } }
      let response = try await engine.response(EngineRequest(url: free.baseURL))
      #expect(response.status == 200)
      await engine.stop()
      #expect(busy.connectionCount <= 2)
    }

    @Test("The engine can pause")
    func pauses() throws {
    }

    // libcurl's own time to connect is five minutes.
    @Test(
      "An unanswered handshake ends after the connect timeout, not the call's",
      .timeLimit(.minutes(10)))
    func connectTimeout() async throws {
      let server = try RawPeer { connection in
        while connection.read() != nil {}
      }
      defer { server.stop() }
      let url: String = "https" + server.baseURL.dropFirst(4)
      let engine = try make { $0.connectTimeout = .milliseconds(100) }
      let result = await engine.result(EngineRequest(url: url, timeout: .seconds(3_600)))
      let fault = try #require(throws: TransportError.self) { try result.get() }
      #expect(fault.kind == .timedOut)
      #expect(!fault.mayHaveBeenProcessed)
      #expect(fault.description.contains("the server did not answer the TLS handshake"))
      #expect(fault.description.contains("Check that the port speaks https"))
    }

    @Test(
      "A call whose own limit ends in an unanswered handshake says so, too",
      .timeLimit(.minutes(10)), arguments: [true, false])
    func callEndsInHandshake(hasIdleLimit: Bool) async throws {
      let server = try RawPeer { connection in
        while connection.read() != nil {}
      }
      defer { server.stop() }
      let url: String = "https" + server.baseURL.dropFirst(4)
      let limit = Duration.milliseconds(100)
      let result = await (try make()).result(
        hasIdleLimit
          ? EngineRequest(url: url, idleTimeout: limit) : EngineRequest(url: url, timeout: limit))
      let fault = try #require(throws: TransportError.self) { try result.get() }
      #expect(fault.kind == .timedOut)
      #expect(fault.description.contains("Check that the port speaks https"))
    }

    @Test("The timings say whether a connection was reused")
    func timings() async throws {
      let server = try MockServer { _ in .text("ok") }
      defer { server.stop() }
      let engine = try make()
      let request = EngineRequest(url: server.baseURL)
      let timings = try await engine.responses([request, request]).map(\.timings)
      #expect(timings.map(\.isConnectionReused) == [false, true])
      for timings in timings {
        #expect(timings.phases.map(\.phase) == ExchangeMetrics.Phase.allCases)
        #expect(timings.phases.reduce(Duration.zero) { $0 + $1.length } == timings.total)
        #expect(try #require(timings.waiting) > .zero)
        #expect(timings.secureConnect == .zero)
      }
      #expect(try #require(timings[0].connect) > .zero)
      #expect(timings[1].nameLookup == .zero && timings[1].connect == .zero)
      #expect(try #require(timings[1].queued) > .zero)
    }
  }
#endif
