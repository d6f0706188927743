import Fixtures
import Foundation
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

@testable import RESTKit
@testable import RESTKitSignIn

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("A tool that listens for the browser's callback (RFC 8252 §7.3)")
struct LoopbackListenerTests {
  private let server = SignInServer(["/token": [SignInServer.token]])

  /// A sign-in whose browser does this with the redirect URI and the state.
  private func signIn(
    _ loopback: LoopbackRedirect = LoopbackRedirect(),
    browser: @escaping @Sendable (_ place: LoopbackBrowser, _ state: String) async throws -> Void
  ) async throws -> Credential {
    try await AuthorizationCodeGrant(server.client(), loopback: loopback) { url in
      let state = try #require(url.values(of: "state").first ?? nil)
      let redirectURI = try #require(url.values(of: "redirect_uri").first ?? nil)
      try await browser(try LoopbackBrowser(redirectURI), state)
    }
    .credential(at: { WallClock.start }).value
  }

  @Test("The callback arrives at 127.0.0.1, at a free port, and the browser gets a page")
  func story() async throws {
    let places = ValueLog<LoopbackBrowser>()
    let answers = ValueLog<String>()
    let credential = try await signIn { place, state in
      places.add(place)
      answers.add(try place.get("/callback?code=c&state=\(state)"))
    }
    #expect(credential.accessToken == "canary-a")
    let place = try #require(places.all.first)
    #expect(place.redirectURI == "http://127.0.0.1:\(place.port)/callback")
    #expect(place.port >= 1_024)
    let form = try #require(server.forms(at: "/token").first)
    #expect(form.contains("&redirect_uri=http%3A%2F%2F127.0.0.1%3A\(place.port)%2Fcallback&"))
    let answer = try #require(answers.all.first)
    #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
    #expect(answer.contains("You can close this window."))
    for field in [
      "Referrer-Policy: no-referrer", "Cache-Control: no-store", "Connection: close",
      "X-Content-Type-Options: nosniff",
    ] {
      #expect(answer.contains(field))
    }
    #expect(!place.isOpen)
  }

  @Test("The tool chooses the path, the page and the port")
  func configured() async throws {
    let free = try SocketDescriptor.listening(onPort: 0).port
    let redirect = LoopbackRedirect(path: "/in/here", port: free, page: "<p>Welcome</p>")
    _ = try await signIn(redirect) { place, state in
      #expect(place.redirectURI == "http://127.0.0.1:\(free)/in/here")
      let answer = try place.get("/in/here?code=c&state=\(state)")
      #expect(answer.contains("<p>Welcome</p>"))
    }
  }

  @Test("Requests other than the browser's callback get an error, and the sign-in goes on")
  func hostile() async throws {
    let credential = try await signIn { place, state in
      let own = "/callback?code=evil&state="
      for (request, status) in [
        ("GET \(own)x HTTP/1.1\r\nHost: \(place.host)\r\n\r\n", "404"),
        ("GET /callback?error=access_denied HTTP/1.1\r\nHost: \(place.host)\r\n\r\n", "404"),
        ("GET /other?code=c&state=\(state) HTTP/1.1\r\nHost: \(place.host)\r\n\r\n", "404"),
        ("GET /callback/?code=c&state=\(state) HTTP/1.1\r\nHost: \(place.host)\r\n\r\n", "404"),
        ("GET \(own)\(state)&state=\(state) HTTP/1.1\r\nHost: \(place.host)\r\n\r\n", "404"),
        ("GET /favicon.ico HTTP/1.1\r\nHost: \(place.host)\r\n\r\n", "404"),
        ("POST \(own)\(state) HTTP/1.1\r\nHost: \(place.host)\r\n\r\n", "400"),
        ("GET \(own)\(state) HTTP/1.1\r\nHost: evil.example.com\r\n\r\n", "400"),
        ("GET \(own)\(state) HTTP/1.1\r\n\r\n", "400"),
        (
          "GET \(own)\(state) HTTP/1.1\r\nHost: \(place.host)\r\nhost: \(place.host)\r\n\r\n", "400"
        ),
        ("GET \(own)\(state) HTTP/2\r\nHost: \(place.host)\r\n\r\n", "400"),
        ("GET http://\(place.host)\(own)\(state) HTTP/1.1\r\nHost: \(place.host)\r\n\r\n", "400"),
        ("\u{16}\u{3}\u{1}\r\n\r\n", "400"),
        ("GET /\(String(repeating: "a", count: 17_000))", "431"),
      ] {
        let answer = try place.exchange(request)
        #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(request)")
      }
      let answer = try place.get("/callback?code=c&state=\(state)")
      #expect(answer.hasPrefix("HTTP/1.1 200 "))
    }
    #expect(credential.accessToken == "canary-a")
    #expect(server.forms(at: "/token").count == 1)
  }

  @Test("Silent, incomplete and closed connections do not delay the sign-in")
  func silent() async throws {
    let credential = try await signIn { place, state in
      let silent = try (0..<40).map { _ in try place.connect() }
      silent.last.map { place.send("GET /callb", over: $0) }
      _ = try place.connect()
      let slow = try place.connect()
      place.send("GET /callback?code=c&state=\(state) HTTP/1.1\r\n", over: slow)
      place.send("Host: \(place.host)\r\n\r\n", over: slow)
      #expect(place.rest(of: slow).hasPrefix("HTTP/1.1 200 "))
      withExtendedLifetime(silent) {}
    }
    #expect(credential.accessToken == "canary-a")
  }

  @Test("A refusal ends the sign-in with the server's text, and the browser gets a page")
  func refusal() async throws {
    let error = await #expect(throws: SignInError.self) {
      try await signIn { place, state in
        _ = try place.get("/callback?error=access_denied&state=\(state)")
      }
    }
    #expect(error == .refused(SignInRefusal(code: "access_denied")))
    #expect(server.requests.isEmpty)
  }

  @Test("A browser may leave the default port out of the host, and no other")
  func hosts() {
    #expect(LoopbackListener.hosts(ofPort: 80) == ["127.0.0.1:80", "127.0.0.1"])
    #expect(LoopbackListener.hosts(ofPort: 8_080) == ["127.0.0.1:8080"])
    #expect(LoopbackListener.hosts(ofPort: 443) == ["127.0.0.1:443"])
  }

  @Test("A sign-in ends when the user's time is over, closes the port, and says the remedy")
  func timeLimit() throws {
    let scheduler = TestScheduler()
    let opened = ValueLog<URL>()
    let loopback = LoopbackRedirect(timeLimit: .seconds(90))
    let subscriber = TestSubscriber<Credential, any Error>()
    let listening = try AuthorizationCodeGrant(
      server.client(), loopback: loopback, scheduler: scheduler
    ) { opened.add($0) }
    listening.credential(at: { WallClock.start }).subscribe(subscriber)
    scheduler.advance(by: .seconds(89))
    #expect(subscriber.completions.isEmpty)
    scheduler.advance(by: .seconds(1))
    let error = subscriber.failure as? SignInError
    #expect(error == .expired)
    #expect("\(SignInError.expired)".contains("timeLimit"))
    #expect(LoopbackRedirect().timeLimit == .seconds(600))
    #expect(scheduler.pendingCount == 0)
    #expect(server.requests.isEmpty)
  }

  @Test("A cancel closes the port")
  func cancel() async throws {
    let places = AsyncStream.makeStream(of: LoopbackBrowser.self)
    let client = try server.client()
    let task = Task {
      try await AuthorizationCodeGrant(client) { url in
        let redirectURI = try #require(url.values(of: "redirect_uri").first ?? nil)
        places.continuation.yield(try LoopbackBrowser(redirectURI))
      }
      .credential(at: { WallClock.start }).value
    }
    var iterator = places.stream.makeAsyncIterator()
    let place = try #require(await iterator.next())
    #expect(place.isOpen)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    while place.isOpen { await Task.yield() }
  }

  @Test("A browser that cannot be opened ends the sign-in")
  func noBrowser() async throws {
    await #expect(throws: TestFailure.self) {
      try await signIn { _, _ in throw TestFailure() }
    }
  }

  @Test("A port in use has its own error")
  func takenPort() async throws {
    let taken = try SocketDescriptor.listening(onPort: 0)
    let error = await #expect(throws: SignInError.self) {
      try await signIn(LoopbackRedirect(port: taken.port)) { _, _ in }
    }
    guard case .notListening(let reason) = error else { throw TestFailure() }
    #expect(reason.hasPrefix("bind to 127.0.0.1:\(taken.port): "))
    withExtendedLifetime(taken.socket) {}
  }

  @Test(
    "A path that the browser would change is refused",
    arguments: ["", "a", "/a?b", "/a#b", "/ü", "/a b"])
  func badPath(path: String) async throws {
    let error = await #expect(throws: SignInError.self) {
      try await signIn(LoopbackRedirect(path: path)) { _, _ in }
    }
    guard case .invalidURL = error else { throw TestFailure() }
  }
}

/// A request from a browser, or from another program on the machine, to a listener.
struct LoopbackBrowser: Sendable {
  let redirectURI: String
  let port: UInt16

  var host: String { "127.0.0.1:\(port)" }

  init(_ redirectURI: String) throws {
    self.redirectURI = redirectURI
    guard let port = URL(string: redirectURI)?.port.flatMap(UInt16.init(exactly:)) else {
      throw TestFailure(name: redirectURI)
    }
    self.port = port
  }

  func get(_ target: String) throws -> String {
    try exchange("GET \(target) HTTP/1.1\r\nHost: \(host)\r\nAccept: */*\r\n\r\n")
  }

  func exchange(_ request: String) throws -> String {
    let socket = try connect()
    send(request, over: socket)
    return rest(of: socket)
  }

  /// Whether a server listens at the port.
  var isOpen: Bool { (try? connect()) != nil }

  func connect() throws -> FileHandle {
    #if canImport(Glibc)
      let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      let number = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    let handle = FileHandle(fileDescriptor: number, closeOnDealloc: true)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    let isConnected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Foundation.connect(number, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    guard isConnected else { throw TestFailure(name: "not connected") }
    return handle
  }

  func send(_ text: String, over socket: FileHandle) {
    #if canImport(Darwin)
      let flags: Int32 = 0
    #else
      let flags = Int32(MSG_NOSIGNAL)
    #endif
    let bytes = Array(text.utf8)
    _ = Foundation.send(socket.fileDescriptor, bytes, bytes.count, flags)
  }

  /// The received bytes until the other side closes.
  func rest(of socket: FileHandle) -> String {
    var text: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while true {
      let count = recv(socket.fileDescriptor, &buffer, buffer.count, 0)
      guard count > 0 else { return String(decoding: text, as: UTF8.self) }
      text += buffer[..<count]
    }
  }
}
