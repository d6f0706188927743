import Fixtures
import Foundation
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

@testable import RESTKit
@testable import RESTKitSignIn

@Suite("Signing in a device", .leakFree)
struct DeviceAuthorizationGrantTests {
  private let scheduler = TestScheduler()
  private let subscriber = TestSubscriber<Credential, any Error>()
  private let shown = ValueLog<DeviceAuthorization>()

  private static func begun(_ more: String = #", "interval": 5"#, lifetime: Int = 1_800)
    -> SignInServer.ServerResponse
  {
    .json(
      #"{"device_code": "canary-d", "user_code": "WDJB-MJHT", "expires_in": \#(lifetime), "#
        + #""verification_uri": "https://example.com/device"\#(more)}"#)
  }

  private static let pending = SignInServer.error("authorization_pending")
  private static let slowDown = SignInServer.error("slow_down")

  /// Begins a sign-in whose questions get these responses.
  private func begin(
    from begun: SignInServer.ServerResponse = Self.begun(), scope: String? = "orders",
    _ answers: SignInServer.ServerResponse...
  ) throws -> SignInServer {
    let server = SignInServer(["/device": [begun], "/token": answers])
    let clock = WallClock(scheduler)
    DeviceAuthorizationGrant(try server.client(), scope: scope, scheduler: scheduler) {
      authorization in
      shown.add(authorization)
    }
    .credential(at: { clock.now })
    .receive(subscriber: subscriber)
    return server
  }

  /// When the questions were asked, in seconds, until the sign-in has ended.
  private func questionTimes(of server: SignInServer) -> [Int] {
    var times: [Int] = []
    while subscriber.completion == nil, scheduler.now < .seconds(4_000) {
      let count = server.forms(at: "/token").count
      scheduler.advance(by: .seconds(1))
      let news = server.forms(at: "/token").count - count
      times += Array(repeating: Int(scheduler.now.components.seconds), count: news)
    }
    return times
  }

  @Test("An error with status 200 is the error that it names", arguments: [200, 400])
  func errorOfSuccess(status: Int) throws {
    let server = try begin(
      SignInServer.error("authorization_pending", status: status),
      SignInServer.error("slow_down", status: status),
      SignInServer.error("access_denied", status: status))
    #expect(questionTimes(of: server) == [5, 10, 20])
    guard case SignInError.refused(let refusal)? = subscriber.failure else {
      Issue.record("\(String(describing: subscriber.failure))")
      return
    }
    #expect(refusal.code == "access_denied")
  }

  @Test("The device requests a code, shows it, and polls for a token until the user has agreed")
  func story() throws {
    let server = try begin(Self.pending, Self.pending, SignInServer.token)
    #expect(server.forms(at: "/device") == ["scope=orders&client_id=app"])
    let shown = shown.all
    #expect(shown.map(\.userCode) == ["WDJB-MJHT"])
    #expect(shown.first?.description == "Open https://example.com/device and enter WDJB-MJHT.")
    #expect(server.forms(at: "/token").isEmpty)
    #expect(questionTimes(of: server) == [5, 10, 15])
    #expect(
      Set(server.forms(at: "/token")) == [
        "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code"
          + "&device_code=canary-d&client_id=app"
      ])
    #expect(
      subscriber.values == [
        Credential(
          accessToken: "canary-a", refreshToken: "canary-r",
          issuedAt: WallClock.start + 15, expiresAt: WallClock.start + 15 + 60, scope: "orders")
      ])
    #expect(subscriber.isFinished)
  }

  @Test("The default interval is five seconds, and the server may set it (RFC 8628 §3.2)")
  func interval() throws {
    for (member, seconds) in [
      ("", 5), (#", "interval": 2"#, 2), (#", "interval": "7""#, 7), (#", "interval": 0.001"#, 1),
    ] {
      let test = DeviceAuthorizationGrantTests()
      let server = try test.begin(from: Self.begun(member), SignInServer.token)
      #expect(test.questionTimes(of: server) == [seconds])
    }
  }

  @Test("Each slow_down adds five seconds to all later intervals (RFC 8628 §3.5)")
  func slowDown() throws {
    let server = try begin(
      Self.slowDown, Self.pending, Self.slowDown, Self.pending, SignInServer.token)
    #expect(questionTimes(of: server) == [5, 15, 25, 40, 55])
    #expect(subscriber.isFinished)
  }

  @Test("A slow_down with status 429 counts, too")
  func slowDownStatus() throws {
    let server = try begin(SignInServer.error("slow_down", status: 429), SignInServer.token)
    #expect(questionTimes(of: server) == [5, 15])
    #expect(subscriber.isFinished)
  }

  @Test(
    "A timeout of the connection doubles the wait, and the sign-in goes on (RFC 8628 §3.5)",
    arguments: [
      TransportError.Kind.timedOut, .connectFailed, .connectionReset, .hostNotFound,
    ])
  func timeOuts(kind: TransportError.Kind) throws {
    let server = try begin(
      .lost(kind), .lost(kind), Self.pending, .lost(kind), SignInServer.token)
    // An answer ends the row of failures.
    #expect(questionTimes(of: server) == [5, 15, 35, 40, 50])
    #expect(subscriber.isFinished)
  }

  @Test("Failures extend the interval to a minute at most, or to the server's interval")
  func longestInterval() throws {
    let server = try begin(
      .json("", status: 503), .json("", status: 502), .json("", status: 500),
      .json("", status: 504), .json("", status: 503),
      .json("", status: 429, headers: ["Retry-After": "90"]), SignInServer.token)
    #expect(questionTimes(of: server) == [5, 15, 35, 75, 135, 195, 285])
    #expect(subscriber.isFinished)
  }

  @Test("A Retry-After delays the next poll alone, and only slow_down delays all later ones")
  func retryAfter() throws {
    let server = try begin(
      .json("", status: 503, headers: ["Retry-After": "120"]), Self.pending, Self.slowDown,
      .json("", status: 503, headers: ["Retry-After": "120"]), Self.pending, Self.pending,
      SignInServer.token)
    #expect(questionTimes(of: server) == [5, 125, 130, 140, 260, 270, 280])
    #expect(subscriber.isFinished)
  }

  @Test("A user who declines ends the sign-in, with the server's text")
  func denied() throws {
    let server = try begin(
      Self.pending,
      SignInServer.error("access_denied", more: #", "error_description": "No, said canary-d""#))
    #expect(questionTimes(of: server) == [5, 10])
    #expect(subscriber.failure as? SignInError == .refused(SignInRefusal(code: "access_denied")))
  }

  @Test("A code that expired at the server ends the sign-in")
  func expiredAtServer() throws {
    let server = try begin(SignInServer.error("expired_token"))
    #expect(questionTimes(of: server) == [5])
    #expect(subscriber.failure as? SignInError == .expired)
  }

  @Test("The sign-in ends with the code's lifetime, even if the server says otherwise")
  func expired() throws {
    let server = try begin(from: Self.begun(lifetime: 12), Self.pending)
    #expect(questionTimes(of: server) == [5, 10])
    #expect(scheduler.now == .seconds(12))
    #expect(subscriber.failure as? SignInError == .expired)
    #expect(scheduler.pendingCount == 0)
  }

  @Test("A poll without a response ends with the code's lifetime")
  func silence() throws {
    let server = try begin(from: Self.begun(lifetime: 30), .never)
    #expect(questionTimes(of: server) == [5])
    #expect(subscriber.failure as? SignInError == .expired)
    #expect(server.cancelCount == 1)
  }

  @Test("A cancel ends the polls, even while the next one waits")
  func cancel() throws {
    let server = try begin(Self.pending)
    scheduler.advance(by: .seconds(6))
    subscriber.cancel()
    scheduler.run()
    #expect(server.forms(at: "/token").count == 1)
    #expect(subscriber.completion == nil)
    #expect(scheduler.pendingCount == 0)
  }

  @Test(
    "Other errors end the sign-in at once",
    arguments: ["invalid_grant", "invalid_client", "unsupported_grant_type", ""])
  func otherErrors(code: String) throws {
    let server = try begin(SignInServer.error(code))
    #expect(questionTimes(of: server) == [5])
    #expect(subscriber.failure as? SignInError == .refused(SignInRefusal(code: code)))
  }

  @Test("A response without a token ends the sign-in")
  func noToken() throws {
    let server = try begin(.json("{}"))
    #expect(questionTimes(of: server) == [5])
    #expect((subscriber.failure as? RESTError)?.kind == .decoding)
  }

  @Test(
    "A server that does not begin as in RFC 8628 fails the sign-in, and nothing is shown",
    arguments: [
      "{}", "[]", "<html>",
      #"{"device_code": "", "user_code": "U", "expires_in": 9, "verification_uri": "https://h/d"}"#,
      #"{"device_code": "d", "user_code": "", "expires_in": 9, "verification_uri": "https://h/d"}"#,
      #"{"device_code": "d", "user_code": "\u001b[2J", "expires_in": 9, "verification_uri": "https://h/d"}"#,
      #"{"device_code": "d", "user_code": "U", "verification_uri": "https://h/d"}"#,
      #"{"device_code": "d", "user_code": "U", "expires_in": 0, "verification_uri": "https://h/d"}"#,
      #"{"device_code": "d", "user_code": "U", "expires_in": 9, "verification_uri": "javascript:alert(1)"}"#,
      #"{"device_code": "d", "user_code": "U", "expires_in": 9, "verification_uri": "http://h/d"}"#,
      #"{"device_code": "d", "user_code": "U", "expires_in": 9, "verification_uri": "https://a@h/d"}"#,
      #"{"device_code": "d", "user_code": "U", "expires_in": 9, "verification_uri": "https://h/d", "verification_uri_complete": "file:///etc/passwd"}"#,
    ])
  func malformedBegin(body: String) throws {
    let server = try begin(from: .json(body), SignInServer.token)
    #expect(subscriber.failure != nil)
    #expect(shown.all.isEmpty)
    #expect(server.forms(at: "/token").isEmpty)
  }

  @Test("A begin that does not decode has a remedy about the server")
  func undecodedBegin() throws {
    _ = try begin(from: .json(#"{"user_code": "A", "expires_in": 9}"#))
    let error = subscriber.failure as? RESTError
    #expect(error?.kind == .decoding)
    #expect(error?.remedy.contains("RFC 8628") == true)
    #expect(error?.description.contains("optional") == false)
  }

  @Test("A complete page is passed on, and the older name of the page is read")
  func pages() throws {
    _ = try begin(
      from: .json(
        #"{"device_code": "d", "user_code": "U", "expires_in": 9, "#
          + #""verification_url": "https://h/d", "verification_uri_complete": "https://h/d?c=U"}"#),
      scope: nil, Self.pending)
    let authorization = try #require(shown.all.first)
    #expect(authorization.verificationURI.absoluteString == "https://h/d")
    #expect(authorization.completeVerificationURI?.absoluteString == "https://h/d?c=U")
    #expect(authorization.lifetime == .seconds(9))
  }

  @Test("A refused begin has the server's text")
  func refusedBegin() throws {
    _ = try begin(
      from: SignInServer.error("invalid_scope", more: #", "error_description": "No such scope""#))
    #expect(
      subscriber.failure as? SignInError
        == .refused(SignInRefusal(code: "invalid_scope", explanation: "No such scope")))
  }

  @Test("A server without the endpoint has its own error")
  func noEndpoint() async throws {
    let client = OAuthClient(
      tokenEndpoint: "https://id.example.com/token", id: "app", authentication: .none,
      transport: SignInServer())
    let grant = DeviceAuthorizationGrant(client, scheduler: scheduler) { _ in }
    await #expect(throws: SignInError.notSupported("device_authorization_endpoint")) {
      try await grant.credential(at: { WallClock.start }).value
    }
  }
}
