import Foundation
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// An API whose tokens expire, with the endpoint that renews them: as a transport, on any
/// scheduler.
///
/// A request is judged when it arrives; its response takes as long as its path says. Refresh tokens
/// are rotated: `r0` buys `t1` and `r1`, that buys `t2` and `r2`. One that was used up is refused.
package final class TokenServer: Transport {
  package enum ServerResponse: Sendable {
    /// A new access token, and a new refresh token.
    case renewed
    case json(String, status: Int = 200, headers: HTTPHeaders = [:])
    /// The request is acted on as usual, but its response is lost.
    case lost(TransportError.Kind = .connectionReset)
    case failure(any Error)
    /// Nothing ever comes.
    case never
  }

  package struct Call: Sendable, Hashable, CustomStringConvertible {
    package let method: String
    package let path: String
    package let token: String?

    package var description: String { "\(method) \(path) \(token ?? "-")" }
  }

  fileprivate struct State: Sendable {
    var accepted: Set<String> = ["t0"]
    var refreshToken = "r0"
    /// The refresh token of the latest refresh.
    ///
    /// It is accepted once more if the response was lost.
    var previous: String?
    var renewals = 0
    var calls: [Call] = []
    var requests: [URLRequest] = []
    var delays: [String: Duration] = [:]
    var scripted: [ServerResponse] = []
    var isAccepting = true
    var isStrict = false
    var fields: [String: String] = [:]
    var bodies: [String: ServerResponse] = [:]
  }

  package static let origin = "https://api.example.com"
  package static let refreshPath = "/auth/refresh"

  private let scheduler: any Scheduler
  private let state = Lock(State())

  package init(scheduler: any Scheduler) {
    self.scheduler = scheduler
  }

  /// The received requests, in order.
  package var calls: [Call] { state.withLock { $0.calls } }

  package var requests: [URLRequest] { state.withLock { $0.requests } }

  package var refreshes: Int { calls.count { $0.path == Self.refreshPath } }

  /// The requests received at a path, as their tokens.
  package func tokens(at path: String) -> [String?] {
    calls.filter { $0.path == "/\(path)" }.map(\.token)
  }

  /// From now on no access token that was issued so far is taken.
  package func expireTokens() {
    state.withLock { $0.accepted = [] }
  }

  package func accept(_ token: String, refreshToken: String? = nil) {
    state.withLock { state in
      state.accepted.insert(token)
      if let refreshToken { state.refreshToken = refreshToken }
    }
  }

  /// New tokens are issued, and refused when they are used.
  package func refuseNewTokens() {
    state.withLock { $0.isAccepting = false }
  }

  /// A refresh token is taken once, even where the response to it was lost.
  package func takeRefreshTokensOnce() {
    state.withLock { $0.isStrict = true }
  }

  package func delay(_ path: String, by delay: Duration) {
    state.withLock { $0.delays["/\(path)"] = delay }
  }

  /// The responses to the next refreshes.
  ///
  /// Later refreshes succeed.
  package func answerRefreshes(_ answers: ServerResponse...) {
    state.withLock { $0.scripted += answers }
  }

  /// The response of a path, for any token.
  package func answer(_ path: String, _ answer: ServerResponse) {
    state.withLock { $0.bodies["/\(path)"] = answer }
  }

  package func response(for request: URLRequest) -> AnyPublisher<RESTResponse, any Error> {
    Single { [self] resolve in
      let answer = take(request)
      let path = request.url?.path ?? ""
      let delay = state.withLock { $0.delays[path] ?? .zero }
      switch answer {
      case .never: return AnyCancellable {}
      case .renewed, .lost, .failure:
        let error = answer.error(of: request)
        return scheduler.schedule(after: delay) { resolve(.failure(error)) }
      case .json(let text, let status, let headers):
        let response = RESTResponse(
          head: ResponseHead(
            url: request.url ?? URL(fileURLWithPath: "/"), statusCode: status, headers: headers),
          data: Data(text.utf8), request: RequestSummary(request))
        return scheduler.schedule(after: delay) { resolve(.success(response)) }
      }
    }
    .eraseToAnyPublisher()
  }

  private func take(_ request: URLRequest) -> ServerResponse {
    let path = request.url?.path ?? ""
    let token = request.value(forHTTPHeaderField: "Authorization")
      .map { $0.replacingOccurrences(of: "Bearer ", with: "") }
    let body = request.httpBody ?? Data()
    return state.withLock { state in
      state.calls.append(Call(method: request.httpMethod ?? "GET", path: path, token: token))
      state.requests.append(request)
      if path == Self.refreshPath { return state.renew(with: body) }
      if let answer = state.bodies[path] { return answer }
      return token.map(state.accepted.contains) == true
        ? .json(#"{"path": "\#(path)"}"#)
        : .json(
          #"{"error": "invalid_token"}"#, status: 401,
          headers: ["WWW-Authenticate": "Bearer error=\"invalid_token\""])
    }
  }
}

extension TokenServer.ServerResponse {
  /// The refusal of a refresh token that will never be taken again (RFC 6749 §5.2).
  package static let deadGrant = Self.json(#"{"error": "invalid_grant"}"#, status: 400)

  /// The client's failure if no response comes.
  fileprivate func error(of request: URLRequest) -> any Error {
    switch self {
    case .failure(let error): error
    case .lost(let kind): Self.cut(request, kind)
    default: Self.cut(request, .connectionReset)
    }
  }

  /// The connection breaks after the request was sent.
  private static func cut(_ request: URLRequest, _ kind: TransportError.Kind) -> RESTError {
    RESTError(
      TransportError(kind: kind, mayHaveBeenProcessed: true), request: RequestSummary(request))
  }
}

extension TokenServer.State {
  fileprivate mutating func renew(with body: Data) -> TokenServer.ServerResponse {
    let answer = scripted.isEmpty ? .renewed : scripted.removeFirst()
    switch answer {
    case .renewed, .lost: break
    default: return answer
    }
    let sent = String(decoding: body, as: UTF8.self)
    if sent == #"{"refreshToken":"\#(refreshToken)"}"# {
      previous = refreshToken
      renewals += 1
      refreshToken = "r\(renewals)"
      if isAccepting { accepted.insert("t\(renewals)") }
    } else if isStrict || previous.map({ sent == #"{"refreshToken":"\#($0)"}"# }) != true {
      return .deadGrant
    }
    if case .lost = answer { return answer }
    return .json(#"{"accessToken": "t\#(renewals)", "refreshToken": "\#(refreshToken)"}"#)
  }
}
