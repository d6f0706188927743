import Fixtures
import Foundation
import RESTKit
import Streams
import StreamsTesting

/// What an answer of a token endpoint does to the session, to a call that waits, and to the log.
struct TokenEndpointEffect: Sendable, Hashable {
  enum Session: String, Sendable {
    case isRenewed = "has the new token"
    case ends
    case isKept = "is kept"
  }

  enum Grant: CaseIterable, Sendable {
    case form, json, closure

    func make(for server: any Transport) -> any TokenGrant {
      let endpoint = TokenServer.origin + TokenServer.refreshPath
      switch self {
      case .form:
        return RefreshTokenGrant(
          OAuthClient(
            tokenEndpoint: endpoint, id: "app", authentication: .none, transport: server))
      case .json: return JSONRefreshGrant(baseURL: TokenServer.origin, transport: server)
      case .closure:
        let api = TestAPI(baseURL: TokenServer.origin, transport: server)
        return ClosureGrant { _ in
          api.post(endpoint: "auth/refresh", body: nil).decode(type: TokenResponse.self)
        }
      }
    }
  }

  let session: Session
  let call: String

  /// - Returns: The effect, and the last words of the logs of the refresh and of the call.
  static func of(
    _ answer: TokenEndpointAnswer, to grant: Grant
  ) -> (effect: Self, log: [String]) {
    let scheduler = TestScheduler()
    let server = TokenServer(scheduler: scheduler)
    let transport = ObservedTransport(server, clock: scheduler)
    let logs = TestSubscriber<CallLog, Never>()
    transport.callLogs.subscribe(logs)
    let old = Credential(accessToken: "t0", refreshToken: "r0")
    let store = MemoryTokenStore(old)
    let session = TokenSession(
      grant: grant.make(for: transport), store: store, scheduler: scheduler,
      date: { WallClock.start })
    let ends = TestSubscriber<TokenSession.SignOutCause, Never>()
    session.signOuts.receive(subscriber: ends)
    server.expireTokens()
    server.accept("t1")
    var headers: HTTPHeaders = [:]
    if let type = answer.contentType { headers.append(name: "Content-Type", value: type) }
    if answer.status == 302 { headers.append(name: "Location", value: "/elsewhere") }
    server.answerRefreshes(.json(answer.body.text, status: answer.status, headers: headers))
    let call = SessionWorld.Subscriber()
    session.authorize(TestAPI(baseURL: TokenServer.origin, transport: transport).get(endpoint: "a"))
      .receive(subscriber: call)
    scheduler.advance()
    logs.cancel()
    let state: Session
    switch (ends.values.count, store.read()) {
    case (1, nil): state = .ends
    case (0, old): state = .isKept
    case (0, _?): state = .isRenewed
    default: state = .isKept
    }
    ends.cancel()
    let words = logs.values.map { log in
      log.events.map(\.description).last { $0 != "ended" } ?? "nothing"
    }
    return (Self(session: state, call: Self.words(of: call)), words)
  }

  /// How a call ends, as the table says it.
  private static func words(of call: SessionWorld.Subscriber) -> String {
    guard let error = call.failure as? TokenSessionError else {
      return call.outcome == "200" ? "go on with it" : call.outcome
    }
    switch error {
    case .refreshRefused: return "`refreshRefused`: sign in again"
    case .refreshFailed:
      let text = "\(error)"
      return if text.contains("until the grant or the server is corrected") {
        "`refreshFailed`: correct the grant or the server"
      } else if text.contains("finalRefusals") {
        "`refreshFailed`: try again later, or name it in `finalRefusals`"
      } else {
        "`refreshFailed`: try again later"
      }
    default: return error.name
    }
  }
}
