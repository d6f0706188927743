import Fixtures
import Foundation
import RESTKit
import RESTKitSignIn
import Streams
import Testing

@Suite("Other programs at the loopback listener (RFC 8252 §8.3)")
struct LoopbackAttackTests {
  private let server = SignInServer(["/token": [SignInServer.token]])

  /// A sign-in whose browser answers once an attacker is done.
  private func signIn(
    after attack: @escaping @Sendable (LoopbackBrowser, _ state: String) throws -> Void
  ) async throws -> Credential {
    try await AuthorizationCodeGrant(server.client()) { url in
      let state = try #require(url.values(of: "state").first ?? nil)
      let place = try LoopbackBrowser(#require(url.values(of: "redirect_uri").first ?? nil))
      try attack(place, state)
      _ = try place.get("/callback?code=honest&state=\(state)")
    }
    .credential(at: { Date() }).value
  }

  private func expectHonestCode(sourceLocation: SourceLocation = #_sourceLocation) {
    let forms = server.forms(at: "/token")
    #expect(forms.count == 1, sourceLocation: sourceLocation)
    #expect(forms.first?.contains("code=honest") == true, sourceLocation: sourceLocation)
  }

  @Test("A page rebound to 127.0.0.1, and requests of other kinds, give no code")
  func strangers() async throws {
    _ = try await signIn { place, state in
      let target = "/callback?code=evil&state=\(state)"
      for request in [
        "GET \(target) HTTP/1.1\r\nHost: evil.example:\(place.port)\r\n\r\n",
        "GET \(target) HTTP/1.1\r\nHost: localhost:\(place.port)\r\n\r\n",
        "GET \(target) HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        "GET \(target) HTTP/1.1\r\nHost: \(place.host)\r\nHost: evil.example\r\n\r\n",
        "GET \(target) HTTP/1.1\r\n\r\n",
        "POST \(target) HTTP/1.1\r\nHost: \(place.host)\r\n\r\n",
        "HEAD \(target) HTTP/1.1\r\nHost: \(place.host)\r\n\r\n",
        "get \(target) HTTP/1.1\r\nHost: \(place.host)\r\n\r\n",
        "GET http://\(place.host)\(target) HTTP/1.1\r\nHost: \(place.host)\r\n\r\n",
        "GET //evil.example\(target) HTTP/1.1\r\nHost: \(place.host)\r\n\r\n",
        "GET /callback/../callback?code=evil&state=\(state) HTTP/1.1\r\nHost: \(place.host)\r\n\r\n",
        "GET /callback?code=evil&state=\(state)x HTTP/1.1\r\nHost: \(place.host)\r\n\r\n",
        "GET /callback?code=evil&state=x&state=\(state) HTTP/1.1\r\nHost: \(place.host)\r\n\r\n",
        "GET \(target)\r\n\r\n", "\u{16}\u{3}\u{1}\r\n\r\n", "\r\n\r\n",
      ] {
        let answer = try place.exchange(request)
        #expect(answer.hasPrefix("HTTP/1.1 4"), "\(request)")
        #expect(!answer.contains(state))
      }
    }
    expectHonestCode()
  }

  @Test("A hundred connections that send nothing, or one byte, do not block the browser")
  func idleConnections() async throws {
    let held = Lock<[FileHandle]>([])
    _ = try await signIn { place, _ in
      for number in 0..<100 {
        let socket = try place.connect()
        if number.isMultiple(of: 2) { place.send("G", over: socket) }
        held.withLock { $0.append(socket) }
      }
    }
    expectHonestCode()
  }

  @Test("A browser may send its request byte by byte")
  func slowBrowser() async throws {
    let answers = ValueLog<String>()
    let grant = try AuthorizationCodeGrant(server.client()) { url in
      let state = try #require(url.values(of: "state").first ?? nil)
      let place = try LoopbackBrowser(#require(url.values(of: "redirect_uri").first ?? nil))
      let socket = try place.connect()
      for byte in "GET /callback?code=honest&state=\(state) HTTP/1.1\r\nHost: \(place.host)\r\n\r\n"
      {
        place.send(String(byte), over: socket)
      }
      answers.add(place.rest(of: socket))
    }
    _ = try await grant.credential(at: { Date() }).value
    expectHonestCode()
  }

  @Test("A thousand guesses of the state end nothing, and do not affect the browser")
  func guesses() async throws {
    _ = try await signIn { place, _ in
      for guess in 0..<1_000 {
        let answer = try place.get("/callback?error=access_denied&state=\(guess)")
        try #require(answer.hasPrefix("HTTP/1.1 404"))
      }
    }
    expectHonestCode()
  }

  @Test("A head without an end is cut off at its limit, and so is a megabyte at once")
  func endlessHead() async throws {
    _ = try await signIn { place, _ in
      let socket = try place.connect()
      place.send("GET /", over: socket)
      for _ in 0..<1_000 { place.send(String(repeating: "a", count: 1_000), over: socket) }
      _ = place.rest(of: socket)
    }
    expectHonestCode()
  }

  @Test("A cancel at any time closes the listener", arguments: [false, true])
  func cancelled(hasConnection: Bool) async throws {
    let (opened, tell) = AsyncStream.makeStream(of: LoopbackBrowser.self)
    let grant = try AuthorizationCodeGrant(server.client()) { url in
      tell.yield(try LoopbackBrowser(#require(url.values(of: "redirect_uri").first ?? nil)))
    }
    let signIn = grant.credential(at: { Date() }).sink(
      receiveCompletion: { _ in Issue.record("it ended") }, receiveValue: { _ in })
    var places = opened.makeAsyncIterator()
    let place = try #require(await places.next())
    let held = hasConnection ? try place.connect() : nil
    signIn.cancel()
    // The listener's thread closes it.
    while place.isOpen { await Task.yield() }
    withExtendedLifetime(held) {}
    #expect(server.requests.isEmpty)
  }
}
