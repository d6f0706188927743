#if os(Linux)
  import Dispatch
  import Fixtures
  import Foundation
  import RESTKitTesting
  import Streams
  import Testing

  @testable import HTTPTransport
  @testable import RESTKit

  @Suite("A transport to a unix socket", .timeLimit(.minutes(10)))
  struct UnixSocketTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
      folder = try TemporaryFolder()
      path = folder.url.appending(path: "s").path
    }

    /// Answers with the number of the connection.
    private func peer() throws -> RawPeer {
      try RawPeer(at: path) { connection in
        while connection.readRequest() != nil {
          connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n\(connection.index)")
        }
      }
    }

    /// Answers with all of the request.
    private func echo() throws -> RawPeer {
      try RawPeer(at: path) { connection in
        while let request = connection.readRequest() {
          connection.send(
            "HTTP/1.1 200 OK\r\nContent-Length: \(request.utf8.count)\r\n\r\n\(request)")
        }
      }
    }

    private func transport() throws -> CurlTransport {
      try CurlTransport(addresses: .unixSocket(path))
    }

    private func engine(maxConnections: Int = 6) throws -> any HTTPEngine {
      var configuration = CurlConfiguration()
      configuration.maxConnectionsPerHost = maxConnections
      configuration.security.proxy = .none
      configuration.addresses = try CurlAddresses(.unixSocket(path), .none, library: .load())
      return try CurlEngine(configuration: configuration)
    }

    private func body(_ engine: any HTTPEngine, _ request: EngineRequest) async throws -> String {
      String(decoding: try await engine.response(request).body, as: UTF8.self)
    }

    // MARK: Requests

    @Test("A request goes to the socket whole, and has the URL's host and port")
    func requests() async throws {
      let peer = try echo()
      defer { peer.stop() }
      let api = TestAPI(baseURL: "http://docker.invalid:2375/v1.45", transport: try transport())
      let got = try await api.get(endpoint: "info").value
      let get = String(decoding: got.data, as: UTF8.self)
      #expect(get.hasPrefix("GET /v1.45/info HTTP/1.1\r\nHost: docker.invalid:2375\r\n"))
      let posted = try await api.post(endpoint: "build", body: .data(Data("FROM scratch".utf8)))
        .value
      let post = String(decoding: posted.data, as: UTF8.self)
      #expect(post.hasPrefix("POST /v1.45/build HTTP/1.1\r\n"))
      #expect(post.hasSuffix("\r\n\r\nFROM scratch"))
      #expect(peer.connectionCount == 1)
    }

    @Test("A redirect to any host returns to the socket")
    func redirect() async throws {
      let peer = try RawPeer(at: path) { connection in
        while let request = connection.readRequest() {
          let isFirst = request.hasPrefix("GET /old")
          connection.send(
            isFirst
              ? "HTTP/1.1 302 Found\r\nLocation: http://b.invalid/new\r\nContent-Length: 0\r\n\r\n"
              : "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nnew")
        }
      }
      defer { peer.stop() }
      let api = TestAPI(baseURL: "http://a.invalid", transport: try transport())
      #expect(try await api.get(endpoint: "old").value.data == Data("new".utf8))
    }

    @Test("Successive calls share a connection, and their metrics name the socket")
    func reuse() async throws {
      let peer = try peer()
      defer { peer.stop() }
      let api = TestAPI(baseURL: peer.baseURL, transport: try transport())
      var isReused: [Bool?] = []
      for _ in 0..<3 {
        let response = try await api.get(endpoint: "a").value
        #expect(response.data == Data("0".utf8))
        #expect(response.metrics?.remoteAddress == "unix:\(path)")
        isReused.append(response.metrics?.isConnectionReused)
      }
      #expect(isReused == [false, true, true])
      #expect(peer.connectionCount == 1)
    }

    @Test("Each host has its own kept connection")
    func hosts() async throws {
      let peer = try peer()
      defer { peer.stop() }
      let requests = ["a", "b", "a", "b", "a"].map { EngineRequest(url: "http://\($0).invalid/") }
      let responses = try await engine(maxConnections: 1).responses(requests)
      let answers = responses.map { String(decoding: $0.body, as: UTF8.self) }
      #expect(answers == ["0", "1", "0", "1", "0"])
      #expect(peer.connectionCount == 2)
    }

    @Test("SEC-16: the proxies of the environment are not used")
    func environment() async {
      await #expect(processExitsWith: .success) {
        let proxy = try MockServer { _ in .text("by proxy") }
        for name in ["http_proxy", "all_proxy", "ALL_PROXY"] { setenv(name, proxy.baseURL, 1) }
        unsetenv("no_proxy")
        unsetenv("NO_PROXY")
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: "s").path
        let peer = try RawPeer(at: path) { connection in
          guard connection.readRequest() != nil else { return }
          connection.send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsocket")
        }
        let transport = try CurlTransport(addresses: .unixSocket(path))
        let response = try await TestAPI(baseURL: peer.baseURL, transport: transport)
          .get(endpoint: "a").value
        #expect(response.data == Data("socket".utf8))
        #expect(proxy.connectionCount == 0)
      }
    }

    // MARK: Kept connections

    @Test(
      "SEC-09: unsolicited bytes of a unix socket answer no call, and the next call connects anew",
      arguments: IdleEvent.allCases.filter { $0 != .reset }, ["GET", "POST"])
    func spent(event: IdleEvent, method: String) async throws {
      let peer = try peer()
      defer { peer.stop() }
      let engine = try engine()
      #expect(try await body(engine, EngineRequest(url: peer.baseURL)) == "0")
      event.happen(at: peer)
      let request = EngineRequest(
        url: peer.baseURL, method: method, body: method == "POST" ? Data("once".utf8) : nil)
      #expect(try await body(engine, request) == "1")
      #expect(try await body(engine, request) == "1")
      #expect(peer.connectionCount == 2)
    }

    /// Lets calls go in twos.
    private final class Pairs: Sendable {
      private let second = DispatchSemaphore(value: 0)
      private let isWaiting = Lock(false)

      /// Returns when another one has come, too.
      func meet() {
        let isSecond = isWaiting.withLock { isWaiting in
          isWaiting.toggle()
          return !isWaiting
        }
        if isSecond { second.signal() } else { second.wait() }
      }
    }

    @Test(
      "SEC-09: of two kept connections, only the one without unsolicited bytes is used",
      arguments: 0...1)
    func spentOfTwo(index: Int) async throws {
      let pairs = Pairs()
      let peer = try RawPeer(at: path) { connection in
        while connection.readRequest() != nil {
          pairs.meet()
          connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n\(connection.index)")
        }
      }
      defer { peer.stop() }
      let engine = try engine()
      func pair() async throws -> Set<String> {
        async let one = body(engine, EngineRequest(url: peer.baseURL))
        async let other = body(engine, EngineRequest(url: peer.baseURL))
        return [try await one, try await other]
      }
      #expect(try await pair() == ["0", "1"])
      peer.send(Data("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil".utf8), on: index)
      #expect(try await pair() == ["\(1 - index)", "2"])
      #expect(try await pair() == ["\(1 - index)", "2"])
      #expect(peer.connectionCount == 3)
    }

    @Test("SEC-09: a host in two spellings has no unchecked connection")
    func spellings() async throws {
      let peer = try peer()
      defer { peer.stop() }
      let engine = try engine()
      let (one, other) = (
        EngineRequest(url: "http://localhost/"), EngineRequest(url: "http://LOCALHOST:80/")
      )
      #expect(try await body(engine, one) == "0")
      let answer = try await body(engine, other)
      let second = try #require(Int(answer))
      peer.send(Data("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil".utf8), on: second)
      #expect(try await body(engine, one) == "\(second + 1)")
    }

    @Test("A POST that the server may have seen is not sent again silently")
    func onlyOnce() async throws {
      let peer = try RawPeer(at: path) { connection in
        if connection.index == 0, connection.readRequest() != nil {
          connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n0")
        }
        _ = connection.readRequest()
      }
      defer { peer.stop() }
      let engine = try engine()
      _ = try await engine.response(EngineRequest(url: peer.baseURL))
      let post = EngineRequest(url: peer.baseURL, method: "POST", body: Data("once".utf8))
      let fault = await engine.fault(post)
      #expect(fault?.kind == .connectionClosedBeforeResponse)
      #expect(fault?.mayHaveBeenProcessed == true)
    }

    // MARK: Sockets that cannot be had

    private func fault() async throws -> TransportError {
      let api = TestAPI(baseURL: "http://localhost", transport: try transport())
      let error = try await restError(
        of: api.post(endpoint: "a", body: .data(Data("once".utf8))))
      let fault = try #require(error.underlyingError as? TransportError)
      fault.expectTrueWord()
      #expect(!fault.mayHaveBeenProcessed)
      #expect(fault.detail.hasPrefix("unix socket \(path): "))
      #expect(fault.detail.hasSuffix("check its path, its permissions and that its server runs"))
      return fault
    }

    @Test("A missing socket is a failed connection that names it")
    func missing() async throws {
      let fault = try await fault()
      #expect(fault.kind == .connectFailed)
      #expect(fault.detail.contains("No such file or directory"))
    }

    @Test("A file that is not a socket, or has no server, refuses the connection")
    func refused() async throws {
      _ = try folder.file("s", Data())
      #expect(try await fault().kind == .connectionRefused)
      try FileManager.default.removeItem(atPath: path)
      try peer().stop()
      #expect(try await fault().kind == .connectionRefused)
    }

    @Test(
      "A socket without write permission is a failed connection that says so",
      .enabled(if: geteuid() != 0, "root may write to any socket"))
    func forbidden() async throws {
      let peer = try peer()
      defer { peer.stop() }
      try #require(chmod(path, 0) == 0)
      let fault = try await fault()
      #expect(fault.kind == .connectFailed)
      #expect(fault.detail.contains("Permission denied"))
      #expect(peer.connectionCount == 0)
    }

    @Test("A socket may be created after the transport")
    func later() async throws {
      let transport = try transport()
      let api = TestAPI(baseURL: "http://localhost", transport: transport)
      _ = try await restError(of: api.get(endpoint: "a"))
      let peer = try peer()
      defer { peer.stop() }
      #expect(try await api.get(endpoint: "a").value.data == Data("0".utf8))
    }
  }
#endif
