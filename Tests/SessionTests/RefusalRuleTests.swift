import Fixtures
import Testing

@testable import RESTKit

@Suite("Responses that refuse a token")
struct RefusalRuleTests {
  @Test(
    "TR-15 A challenge is read at 401, and one for a wider scope also at 403",
    arguments: [
      (401, "Bearer", true, false), (401, "Bearer error=\"insufficient_scope\"", false, true),
      (401, "Bearer error=insufficient_scope", false, true), (403, "Bearer", false, false),
      (403, "Bearer error=\"insufficient_scope\"", false, true),
      (400, "Bearer error=insufficient_scope", false, false),
      (402, "Bearer error=insufficient_scope", false, false),
      (404, "Bearer error=insufficient_scope", false, false),
      (401, "Bearer realm=\"r\", error = \"insufficient_scope\"", false, true),
      (401, "Basic, Bearer error=\"insufficient_user_authentication\", max_age=5", false, false),
      (403, "Bearer error=\"insufficient_user_authentication\"", false, false),
      (401, "Bearer error_description=\"error=insufficient_scope\"", true, false),
    ])
  func challenges(status: Int, challenge: String, isRefused: Bool, lacksScope: Bool) throws {
    let response = try makeResponse(status: status, headers: ["WWW-Authenticate": challenge])
    #expect(RefusalRule.unauthorized.refuses(response) == isRefused)
    #expect(RefusalRule.insufficientScope.refuses(response) == lacksScope)
    let either = RefusalRule.unauthorized.or(.insufficientScope)
    #expect(either.refuses(response) == (isRefused || lacksScope))
  }

  @Test(
    "An error code may be text or a number, only in its own member",
    arguments: [
      (#"{"error": "expired"}"#, true), (#"{"error": 17}"#, true), (#"{"error": "17"}"#, true),
      (#"{"error": "other"}"#, false), (#"{"error": true}"#, false), (#"{"code": 17}"#, false),
      ("[17]", false), ("", false),
    ])
  func codes(body: String, isRefused: Bool) throws {
    let rule = RefusalRule.errorCode(["expired", "17"])
    #expect(rule.refuses(try makeResponse(body)) == isRefused)
    let elsewhere = RefusalRule.errorCode(["17"], in: "code")
    #expect(elsewhere.refuses(try makeResponse(body)) == body.contains("code"))
  }
}
