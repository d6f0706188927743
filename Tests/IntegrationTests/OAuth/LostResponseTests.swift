import Foundation
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

extension IntegrationTests.OAuth {
  /// The server has rotated the refresh token, and the client never learns the new one.
  @Suite("A refresh whose response is lost")
  struct LostResponses {
    private let scheduler = TestScheduler()

    /// The ways in which a connection may be cut.
    private static let cuts: [LossyLine.Loss] = [.closed, .reset, .cut]

    @Test(
      "TR-22: a server that accepts a refresh token once ends the session, once",
      arguments: TransportKind.allCases, cuts)
    func strict(kind: TransportKind, loss: LossyLine.Loss) async throws {
      let line = try LossyLine(to: OAuthServer(kind), losing: [loss])
      defer { line.stop() }
      let user = try await SignedInUser(over: line, timedBy: scheduler)

      for outcome in await user.outcomes(ofCalls: 20) { expectRefusal(outcome) }

      #expect(
        try await user.tokenRequests
          == ["password → 200", "refresh_token → 200", "refresh_token → 400"])
      #expect(user.signOuts == ["refused"])
      #expect(user.store.read() == nil)
      // The server takes this for a stolen token, and revokes the lost token with it.
      #expect(try await line.server.status(of: line.firstLoss.accessToken) == 401)

      // It is over: no call asks the server again.
      _ = await user.outcomes(ofCalls: 3)
      #expect(try await user.tokenRequests.count == 3)
      #expect(user.signOuts.count == 1)
    }

    @Test(
      "TR-22: a server with a grace period repeats its response, and no call fails",
      arguments: TransportKind.allCases, cuts)
    func grace(kind: TransportKind, loss: LossyLine.Loss) async throws {
      let line = try LossyLine(to: OAuthServer(kind, hasGrace: true), losing: [loss])
      defer { line.stop() }
      let user = try await SignedInUser(over: line, timedBy: scheduler)

      let outcomes = await user.outcomes(ofCalls: 20)

      #expect(try outcomes.map { try $0.get() } == Array(repeating: user.owner, count: 20))
      #expect(
        try await user.tokenRequests
          == ["password → 200", "refresh_token → 200", "refresh_token → 200"])
      #expect(user.signOuts.isEmpty)
      try await expectSameTokens(user, line)
    }

    @Test("TR-22: with two lost responses the session remains, and the next calls recover it")
    func graceTwice() async throws {
      let line = try LossyLine(to: OAuthServer(.default, hasGrace: true), losing: [.cut, .reset])
      defer { line.stop() }
      let user = try await SignedInUser(over: line, timedBy: scheduler)

      await #expect(throws: TokenSessionError.self) { try await user.call.value }
      #expect(try user.stored.refreshToken == user.first.refreshToken)
      #expect(user.signOuts.isEmpty)

      // No refresh for the cooldown's two seconds.
      scheduler.advance(by: .seconds(2))
      let outcomes = await user.outcomes(ofCalls: 20)
      #expect(try outcomes.map { try $0.get() } == Array(repeating: user.owner, count: 20))
      #expect(
        try await user.tokenRequests
          == ["password → 200"] + Array(repeating: "refresh_token → 200", count: 3))
      try await expectSameTokens(user, line)
    }

    @Test("TR-22: if the refusal is lost, too, the session ends at the next call")
    func strictTwice() async throws {
      let line = try LossyLine(to: OAuthServer(.default), losing: [.cut, .cut])
      defer { line.stop() }
      let user = try await SignedInUser(over: line, timedBy: scheduler)

      await #expect(throws: TokenSessionError.self) { try await user.call.value }
      #expect(user.signOuts.isEmpty)

      scheduler.advance(by: .seconds(2))
      for outcome in await user.outcomes(ofCalls: 3) { expectRefusal(outcome) }
      #expect(
        try await user.tokenRequests == [
          "password → 200", "refresh_token → 200", "refresh_token → 400", "refresh_token → 400",
        ])
      #expect(user.signOuts == ["refused"])
    }

    @Test(
      "TR-14: without a response the refresh times out, and the next call learns the outcome",
      arguments: TransportKind.allCases, [false, true])
    func silence(kind: TransportKind, hasGrace: Bool) async throws {
      let line = try LossyLine(to: OAuthServer(kind, hasGrace: hasGrace), losing: [.silence])
      defer { line.stop() }
      let user = try await SignedInUser(over: line, timedBy: scheduler)

      async let first = user.outcomes(ofCalls: 1)
      // The server has rotated the tokens by now, but its response is lost.
      _ = try await line.firstLoss
      scheduler.advance(by: .seconds(30))
      guard case .failure(TokenSessionError.refreshTimedOut) = try #require(await first.first)
      else {
        Issue.record("the first call did not end in time")
        return
      }
      #expect(try await line.waitForHangup() == .client)
      #expect(user.signOuts.isEmpty)

      let next = try #require(await user.outcomes(ofCalls: 1).first)
      #expect(
        try await user.tokenRequests
          == ["password → 200", "refresh_token → 200", "refresh_token → \(hasGrace ? 200 : 400)"])
      if hasGrace {
        #expect(try next.get() == user.owner)
        try await expectSameTokens(user, line)
      } else {
        expectRefusal(next)
      }
      #expect(user.signOuts == (hasGrace ? [] : ["refused"]))
    }

    private func expectRefusal(
      _ outcome: Result<OAuthServer.Owner, any Error>,
      sourceLocation: SourceLocation = #_sourceLocation
    ) {
      switch outcome {
      case .failure(TokenSessionError.refreshRefused(let cause as RESTError)):
        #expect(cause.kind == .status(400), sourceLocation: sourceLocation)
      // A call that began when it was over.
      case .failure(TokenSessionError.signedOut): break
      default: Issue.record("\(outcome)", sourceLocation: sourceLocation)
      }
    }

    /// Checks that the session has the server's first tokens, and that they fetch the next token.
    private func expectSameTokens(_ user: SignedInUser, _ line: LossyLine) async throws {
      let lost = try await line.firstLoss
      let credential = try user.stored
      #expect(credential.accessToken == lost.accessToken)
      #expect(credential.refreshToken == lost.refreshToken)
      _ = try await user.grant.token(renewing: credential).value
    }
  }
}
