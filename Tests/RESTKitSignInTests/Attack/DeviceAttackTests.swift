import Fixtures
import Foundation
import Streams
import StreamsTesting
import Testing

@testable import RESTKit
@testable import RESTKitSignIn

@Suite("A device at a hostile or faulty server")
struct DeviceAttackTests {
  private typealias Outcome = TestSubscriber<Credential, any Error>

  private let scheduler = TestScheduler()

  private func device(_ more: String = "", userCode: String = "AB-CD")
    -> SignInServer.ServerResponse
  {
    .json(
      """
      {"device_code": "canary-d", "user_code": "\(userCode)",
      "verification_uri": "https://id.example.com/d", "expires_in": 600\(more)}
      """)
  }

  private func begin(
    _ server: SignInServer, at now: @escaping @Sendable () -> Date = { Date() },
    show: @escaping @Sendable (DeviceAuthorization) -> Void = { _ in }
  ) throws -> Outcome {
    let outcome = Outcome()
    try DeviceAuthorizationGrant(server.client(), scheduler: scheduler, show: show)
      .credential(at: now).receive(subscriber: outcome)
    scheduler.advance()
    return outcome
  }

  @Test(
    "No interval makes a device poll more than once a second",
    arguments: ["0", "-5", "0.001", "1e-300", "\"0.1\"", "null", "\"often\"", "[1]"])
  func interval(text: String) throws {
    let server = SignInServer([
      "/device": [device(", \"interval\": \(text)")],
      "/token": [SignInServer.error("authorization_pending")],
    ])
    let outcome = try begin(server)
    scheduler.advance(by: .seconds(60))
    #expect(server.forms(at: "/token").count <= 60)
    #expect(server.forms(at: "/token").count >= 1)
    #expect(outcome.values.isEmpty && outcome.completion == nil)
  }

  @Test("Thousands of polls need no more stack than one")
  func manyQuestions() throws {
    let server = SignInServer([
      "/device": [device(", \"interval\": 1").living(seconds: 6_000)],
      "/token": [SignInServer.error("authorization_pending")],
    ])
    let outcome = try begin(server)
    scheduler.advance(by: .seconds(5_000))
    #expect(server.forms(at: "/token").count == 5_000)
    scheduler.advance(by: .seconds(1_000))
    #expect(outcome.failure as? SignInError == .expired)
  }

  @Test(
    "Repeated slow_down always slows down further, and the code's lifetime still ends the sign-in")
  func endlessSlowDown() throws {
    let server = SignInServer(["/device": [device()], "/token": [SignInServer.error("slow_down")]])
    let outcome = try begin(server)
    scheduler.advance(by: .seconds(599))
    // 5, 10, 15 … seconds between them.
    #expect(server.forms(at: "/token").count == 14)
    #expect(outcome.values.isEmpty && outcome.completion == nil)
    scheduler.advance(by: .seconds(1))
    #expect(outcome.failure as? SignInError == .expired)
  }

  @Test("A wall clock that jumps expires no code, and the token's lifetime counts from its request")
  func clockJumps() throws {
    let start = Date(timeIntervalSince1970: 1_700_000_000)
    let jumps = Lock<[TimeInterval]>([0, 86_400 * 365, -86_400 * 365])
    let server = SignInServer([
      "/device": [device()],
      "/token": [
        SignInServer.error("authorization_pending"), SignInServer.error("authorization_pending"),
        SignInServer.token,
      ],
    ])
    let outcome = try begin(server) {
      start + jumps.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
    }
    scheduler.advance(by: .seconds(15))
    let credential = try #require(outcome.values.first)
    #expect(credential.expiresAt == start - 86_400 * 365 + 60)
  }

  @Test(
    "A page that is not a plain https URL is never shown",
    arguments: [
      "javascript:alert(1)", "file:///etc/passwd", "http://id.example.com/d", "//id.example.com",
      "https://id.example.com@evil.example/", "https://id.example.com\\\\@evil.example/", "",
      "https://id.example.com/\\u001b[2J", "https://id.example.com/d\\u202e",
    ])
  func pages(page: String) throws {
    for more in ["", ", \"verification_uri_complete\": \"\(page)\""] {
      let first = more.isEmpty ? page : "https://id.example.com/d"
      let server = SignInServer([
        "/device": [
          .json(
            """
            {"device_code": "d", "user_code": "A", "verification_uri": "\(first)",
            "expires_in": 600\(more)}
            """)
        ]
      ])
      let shown = ValueLog<String>()
      let outcome = try begin(
        server, show: { shown.add("\($0) \($0.completeVerificationURI as Any)") })
      // A character that a URL may have in its escaped form does no harm in that.
      #expect(shown.all.allSatisfy { $0.contains("%1B") || $0.contains("%E2%80%AE") })
      #expect(shown.all.isEmpty == (outcome.failure is SignInError))
    }
  }

  @Test(
    "A user code with terminal commands is never shown",
    arguments: ["\\u001b[2J", "A\\nOpen https://evil.example", "\\u202eAB", "\\u0007", "A\\u2028B"])
  func userCodes(userCode: String) throws {
    let shown = ValueLog<String>()
    let server = SignInServer(["/device": [device(userCode: userCode)]])
    let outcome = try begin(server, show: { shown.add("\($0)") })
    #expect(shown.all.isEmpty)
    #expect(outcome.failure is SignInError)
  }

  @Test("A cancel while the code is shown sends no poll")
  func cancelWhileShown() throws {
    let server = SignInServer(["/device": [device()], "/token": [SignInServer.token]])
    let outcome = Outcome()
    try DeviceAuthorizationGrant(server.client(), scheduler: scheduler) { _ in outcome.cancel() }
      .credential(at: { Date() }).receive(subscriber: outcome)
    scheduler.advance(by: .seconds(700))
    #expect(server.forms(at: "/token").isEmpty)
    #expect(outcome.values.isEmpty && outcome.completion == nil)
    #expect(scheduler.pendingCount == 0)
  }

  @Test("A cancel while the server is asked for a code, or for a token, ends the exchange")
  func cancelExchanges() throws {
    let silent = SignInServer(["/device": [.never]])
    let first = try begin(silent)
    first.cancel()
    #expect(silent.cancelCount == 1)

    let server = SignInServer(["/device": [device()], "/token": [.never]])
    let second = try begin(server)
    scheduler.advance(by: .seconds(5))
    second.cancel()
    #expect(server.cancelCount == 1)
    #expect(scheduler.pendingCount == 0)
  }
}

extension SignInServer.ServerResponse {
  /// The same response with another life of the code.
  fileprivate func living(seconds: Int) -> Self {
    guard case .json(let text, let status, let headers) = self else { return self }
    return .json(
      text.replacingOccurrences(of: "\"expires_in\": 600", with: "\"expires_in\": \(seconds)"),
      status: status, headers: headers)
  }
}
