import Fixtures
import Foundation
import Testing

@Suite("Every answer of a token endpoint", .leakFree, .timeLimit(.minutes(10)))
struct TokenEndpointTests {
  private typealias Effect = TokenEndpointEffect

  @Test("TR-17 TR-18 Only what says that the grant is dead ends a session, by any grant")
  func ending() {
    for status in TokenEndpointAnswer.statuses {
      for body in TokenEndpointBody.all {
        let effects = effects(of: status, body)
        #expect(effects.count == 1, "\(status) \(body.name): \(effects)")
        let isJudged = status != 302 && status != 408 && status != 429 && status < 500
        let isDead = body == .invalidGrant && isJudged
        #expect(effects.contains { $0.session == .ends } == isDead, "\(status) \(body.name)")
        let isNew = body == .token && status < 300
        #expect(effects.contains { $0.session == .isRenewed } == isNew, "\(status) \(body.name)")
      }
    }
  }

  /// The effects of an answer, of any type and to any grant: one.
  private func effects(of status: Int, _ body: TokenEndpointBody) -> Set<Effect> {
    var effects: Set<Effect> = []
    for type in TokenEndpointAnswer.contentTypes {
      let answer = TokenEndpointAnswer(status: status, body: body, contentType: type)
      effects.insert(Effect.of(answer, to: .form).effect)
    }
    let answer = TokenEndpointAnswer(status: status, body: body, contentType: "application/json")
    for grant in [Effect.Grant.json, .closure] {
      effects.insert(Effect.of(answer, to: grant).effect)
    }
    return effects
  }

  @Test("The log of a refresh has its status, and the call's log the failure of the refresh")
  func log() {
    for status in TokenEndpointAnswer.statuses {
      for body in TokenEndpointBody.all {
        let answer = TokenEndpointAnswer(
          status: status, body: body, contentType: "application/json")
        let (effect, log) = Effect.of(answer, to: .form)
        let isNew = effect.session == .isRenewed
        #expect(log.count == 2)
        #expect(log.first?.hasPrefix(isNew ? "decoded" : "failed because the") == true, "\(log)")
        #expect(log.last == (isNew ? "answered 200 OK" : "failed because TokenSessionError"))
      }
    }
  }

  @Test("Docs/Sessions.md has the table of them")
  func table() throws {
    let table = try TokenEndpointTable()
    #expect(try table.isWritten(), "RENEW_TABLES=1 swift test --filter TokenEndpointTests")
  }
}
