import Fixtures
import Foundation
import RESTKit
import Streams
import StreamsTesting

// The consequences of a refused token for its call.
extension WorldNetwork {
  /// Looks at each 401 that comes out of what a session authorizes.
  ///
  /// - Parameters:
  ///   - names: Those of the requests that are authorized together.
  ///   - session: Who authorizes them.
  func watching(
    _ authorized: AnyPublisher<RESTResponse, any Error>, of call: WorldCall,
    sending names: Set<String>, by session: TokenSession
  ) -> AnyPublisher<RESTResponse, any Error> {
    Deferred { [self] () -> AnyPublisher<RESTResponse, any Error> in
      let start = state.withLock { $0.exchanges.count }
      let judge: @Sendable () -> Void = { [self] in
        if let text = mistake(with: call, sending: names, since: start, by: session) {
          complain("call \(call.number), \(names.sorted()): \(text)")
        }
      }
      return authorized.handleEvents(
        receiveOutput: { response in
          if response.statusCode == 401 { judge() }
        },
        receiveCompletion: { completion in
          guard case .failure(let error) = completion else { return }
          if (error as? RESTError)?.isUnauthorized == true { judge() }
        }
      )
      .eraseToAnyPublisher()
    }
    .eraseToAnyPublisher()
  }

  /// What is wrong with handing a 401 on.
  ///
  /// Nothing is, where a repetition had another token already, or where a redirect left the token
  /// behind.
  private func mistake(
    with call: WorldCall, sending names: Set<String>, since start: Int, by session: TokenSession
  ) -> String? {
    let isActive = "\(session)" == "TokenSession(active)"
    let isUsersOwn = call.epoch == call.app.epoch
    return state.withLock { state in
      let sent = state.exchanges[start...].filter {
        $0.call == call.number && names.contains($0.name)
      }
      guard let token = sent.last?.token, sent.allSatisfy({ $0.token == token }) else { return nil }
      let wasRenewed = state.exchanges.contains {
        $0.call == call.number && $0.token != nil && $0.token != token
      }
      guard wasRenewed else { return "\(token) was refused, and was not renewed" }
      // A store that fails keeps a session from its token.
      guard isActive, isUsersOwn, !plan.storeFails else { return nil }
      guard let latest = Self.latestToken(on: call.app.number, in: state), latest != token,
        state.server.isFresh(latest, at: scheduler.now)
      else { return nil }
      return "\(token) was refused, and not repeated, though \(latest) is there"
    }
  }

  /// The token that a session began to use last.
  private static func latestToken(on line: Int, in state: State) -> String? {
    var (known, latest): (Set<String>, String?) = ([], nil)
    for exchange in state.exchanges where exchange.line == line {
      if let token = exchange.token, known.insert(token).inserted { latest = token }
    }
    return latest
  }
}
