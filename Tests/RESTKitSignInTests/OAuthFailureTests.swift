import Fixtures
import Foundation
import RESTKitTesting
import Streams
import Testing

@testable import RESTKit

@Suite("Refused and lost requests to a token endpoint")
struct OAuthFailureTests {
  @Test(
    "TR-17: an invalid grant ends the session permanently (RFC 6749 §5.2)",
    arguments: [
      (400, "invalid_grant"), (401, "invalid_grant"), (403, "invalid_grant"),
      (200, "invalid_grant"), (201, "invalid_grant"),
    ])
  func permanent(statusCode: Int, code: String) async throws {
    let endpoint = TokenEndpoint(
      statusCode: statusCode, result: .json(#"{"error": "\#(code)"}"#))
    let failure = try await endpoint.failure()
    guard case .permanent(let cause as RESTError) = failure else {
      Issue.record("\(failure)")
      return
    }
    #expect(cause.kind == .status(statusCode))
  }

  @Test(
    "TR-18: a temporary failure is transient, and has the time to wait",
    arguments: [
      (429, "slow_down"), (500, "server_error"), (503, "temporarily_unavailable"), (403, "proxy"),
      (404, "moved"), (302, "elsewhere"), (400, "invalid_request"), (400, "invalid_scope"),
      (400, "server_error"), (400, "temporarily_unavailable"), (200, "temporarily_unavailable"),
      (200, "invalid_client"), (400, "invalid_client"), (401, "invalid_client"),
      (401, "anything"), (400, "expired_token"), (400, "access_denied"),
      (400, "unauthorized_client"), (400, "unsupported_grant_type"), (408, "invalid_grant"),
      (429, "invalid_grant"), (500, "invalid_grant"), (503, "invalid_grant"),
    ])
  func transient(statusCode: Int, code: String) async throws {
    let endpoint = TokenEndpoint(
      statusCode: statusCode, headers: ["Retry-After": "7"],
      result: .json(#"{"error": "\#(code)"}"#))
    let failure = try await endpoint.failure()
    guard case .transient(let cause as RESTError, .seconds(7)) = failure else {
      Issue.record("\(failure)")
      return
    }
    #expect(cause.kind == .status(statusCode))
  }

  @Test("TR-18: a network failure is transient")
  func network() async throws {
    let fault = TransportError(kind: .hostNotFound, mayHaveBeenProcessed: false)
    let error = RESTError(fault, request: RequestSummary(method: .post, url: nil))
    let failure = try await TokenEndpoint(result: .failure(error)).failure()
    guard case .transient(let cause as RESTError, nil) = failure else {
      Issue.record("\(failure)")
      return
    }
    #expect(cause.kind == .transport(.hostNotFound))
  }

  @Test("TR-22: a truncated response is lost, and not a refusal")
  func lost() async throws {
    let fault = TransportError(kind: .connectionClosedBeforeResponse, mayHaveBeenProcessed: true)
    let error = RESTError(fault, request: RequestSummary(method: .post, url: nil))
    let failure = try await TokenEndpoint(result: .failure(error)).failure()
    guard case .responseLost = failure else {
      Issue.record("\(failure)")
      return
    }
  }

  @Test(
    "TR-19: a 200 without a token is transient, and nothing is stored",
    arguments: [
      "", "{}", "[]", "null", "<html>", #"{"access_token": null}"#, #"{"access_token": 5.5}"#,
      #"{"access_token": ""}"#, #"{"access_token": " \n"}"#, #"{"error": 5}"#,
      #"{"access_token": "a", "token_type": "mac"}"#, #"{"access_token": "a""#,
    ])
  func rubbish(body: String) async throws {
    let failure = try await TokenEndpoint(result: .json(body)).failure()
    guard case .transient = failure else {
      Issue.record("\(failure)")
      return
    }
  }

  @Test("Without a refresh token nothing is sent, and the failure is permanent")
  func noRefreshToken() async throws {
    let endpoint = TokenEndpoint()
    for credential in [
      nil, Credential(accessToken: "a"), Credential(accessToken: "a", refreshToken: ""),
    ] {
      let failure = try await endpoint.failure(credential)
      guard case .permanent(RefreshError.noRefreshToken) = failure else {
        Issue.record("\(failure)")
        return
      }
    }
    #expect(endpoint.requests.isEmpty)
  }

  @Test("A redirect is not followed, because it would pass the secrets on")
  func redirect() async throws {
    let endpoint = TokenEndpoint(
      statusCode: 307, headers: ["Location": "https://id.example.com/o/token/"])
    let failure = try await endpoint.failure()
    guard case .transient(let cause as RESTError, _) = failure else {
      Issue.record("\(failure)")
      return
    }
    #expect(cause.kind == .redirect)
    #expect(endpoint.requests.count == 1)
  }
}
