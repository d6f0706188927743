import Foundation
import RESTKit
import Streams
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension IntegrationTests {
  @Suite("Authorization")
  struct Authorization {
    struct Session: Decodable, Sendable, Equatable {
      let authenticated: Bool
      let token: String
    }

    @Test(
      "a 401 arrives as a 401, with any challenge",
      arguments: TransportKind.allCases,
      [
        ("basic-auth/user/passwd", "Basic"), ("status/401", "Basic"), ("bearer", "Bearer"),
        ("digest-auth/auth/user/passwd", "Digest"),
        ("digest-auth/auth-int/user/passwd/SHA-256", "Digest"),
      ])
    func challenges(kind: TransportKind, challenge: (String, String)) async throws {
      let response = try await HttpbinAPI(kind).get(endpoint: challenge.0).value
      #expect(response.statusCode == 401)
      #expect(response.headers["WWW-Authenticate"]?.hasPrefix(challenge.1) == true)
    }

    @Test("a 401 arrives for a POST with a body", arguments: TransportKind.allCases)
    func challengedPost(kind: TransportKind) async throws {
      let response = try await HttpbinAPI(kind)
        .post(endpoint: "status/401", body: .data(Data(repeating: 1, count: 100_000))).value
      #expect(response.statusCode == 401)
    }

    @Test("a proxy's challenge arrives as a 407", arguments: TransportKind.allCases)
    func proxyChallenge(kind: TransportKind) async throws {
      let response = try await HttpbinAPI(kind).get(endpoint: "status/407").value
      #expect(response.statusCode == 407)
    }

    @Test(
      "Basic credentials grant access, and wrong ones do not", arguments: TransportKind.allCases)
    func basic(kind: TransportKind) async throws {
      let api = try HttpbinAPI(kind)
      for (endpoint, refusal) in [("basic-auth", 401), ("hidden-basic-auth", 404)] {
        for (password, status) in [("pässwörd:1", 200), ("wrong", refusal), ("", refusal)] {
          let response = try await api.get(endpoint: "\(endpoint)/user/pässwörd:1") { request in
            var request = request
            let credentials = Data("user:\(password)".utf8).base64EncodedString()
            request.setValue("Basic \(credentials)", forHTTPHeaderField: "Authorization")
            return request
          }.value
          #expect(response.statusCode == status, "\(endpoint)")
        }
      }
    }

    @Test(
      "a bearer token arrives without the line break of its file",
      arguments: TransportKind.allCases)
    func bearer(kind: TransportKind) async throws {
      let session = try await HttpbinAPI(kind)
        .get(endpoint: "bearer") { $0.addingBearerAuthorization(token: "abc.DEF-_~+/=\r\n") }
        .decode(type: Session.self).value
      #expect(session == Session(authenticated: true, token: "abc.DEF-_~+/="))
    }

    @Test(
      "a 401 causes one refresh, and the call is sent again with the new token and decoded",
      arguments: TransportKind.allCases)
    func refresh(kind: TransportKind) async throws {
      let api = try HttpbinAPI(kind)
      let account = Account()
      let session = try await me(api, account)
        .retryOnceOnUnauthorizedResponse(chainedRequest: refresh(api, account))
        .decode(type: Session.self)
        .value
      #expect(session == Session(authenticated: true, token: "second"))
      #expect(account.log == ["me", "refresh with first", "me"])
      // The token is kept: no refresh is needed now.
      let next = try await me(api, account)
        .retryOnceOnUnauthorizedResponse(chainedRequest: refresh(api, account))
        .decode(type: Session.self)
        .value
      #expect(next == session)
      #expect(account.log == ["me", "refresh with first", "me", "me"])
    }

    @Test("a second 401 is final", arguments: TransportKind.allCases)
    func secondRefusal(kind: TransportKind) async throws {
      let api = try HttpbinAPI(kind)
      let account = Account()
      let call = api.get(endpoint: "basic-auth/a/b", requestModifier: account.authorize)
        .retryOnceOnUnauthorizedResponse(chainedRequest: refresh(api, account))
      let error = await #expect(throws: RESTError.self) { try await call.value }
      #expect(error?.isUnauthorized == true)
      #expect(error?.response?.headers["WWW-Authenticate"] == "Basic realm=\"Fake Realm\"")
      #expect(account.log == ["me", "refresh with first", "me"])
    }

    @Test(
      "a failed refresh ends the call, and the call is not sent again",
      arguments: TransportKind.allCases)
    func failedRefresh(kind: TransportKind) async throws {
      let api = try HttpbinAPI(kind)
      let account = Account()
      let call = me(api, account)
        .retryOnceOnUnauthorizedResponse(
          chainedRequest: api.post(endpoint: "status/500", body: nil).validateStatus())
      let error = await #expect(throws: RESTError.self) { try await call.value }
      #expect(error?.kind == .status(500))
      #expect(account.log == ["me"])
    }

    private func me(
      _ api: HttpbinAPI, _ account: Account
    ) -> AnyPublisher<RESTResponse, any Error> {
      api.get(endpoint: "bearer", requestModifier: account.authorize)
    }

    /// httpbin gives no tokens out, so its echo plays the server that does.
    private func refresh(
      _ api: HttpbinAPI, _ account: Account
    ) -> some Publisher<Tokens, any Error> {
      Deferred {
        api.post(endpoint: "anything/auth/refresh", body: .data(account.refreshBody())) {
          $0.sendingJSON().acceptingJSON()
        }
        .unwrapResultJSON(key: "json")
        .decode(type: Tokens.self)
        .handleEvents(receiveOutput: { account.take($0) })
      }
    }
  }
}

private struct Tokens: Codable, Sendable {
  let accessToken: String
  let refreshToken: String
}

/// A caller that has no access token yet, and a log of its actions.
private final class Account: Sendable {
  private struct State: Sendable {
    var log: [String] = []
    var accessToken: String?
    var refreshToken = "first"
  }

  private let state = Lock(State())

  var log: [String] { state.withLock { $0.log } }

  var authorize: RequestModifier {
    { request in
      let token = self.state.withLock { state in
        state.log.append("me")
        return state.accessToken
      }
      return token.map { request.addingBearerAuthorization(token: $0) } ?? request
    }
  }

  func refreshBody() -> Data {
    let token = state.withLock { state in
      state.log.append("refresh with \(state.refreshToken)")
      return state.refreshToken
    }
    return Data(#"{"accessToken": "second", "refreshToken": "\#(token)+"}"#.utf8)
  }

  func take(_ tokens: Tokens) {
    state.withLock { state in
      state.accessToken = tokens.accessToken
      state.refreshToken = tokens.refreshToken
    }
  }
}
