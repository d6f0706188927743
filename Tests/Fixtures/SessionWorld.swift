import Foundation
import RESTKit
import Streams
import StreamsTesting

/// A session, its server and its clocks, in virtual time.
package final class SessionWorld: Sendable {
  package typealias Subscriber = TestSubscriber<RESTResponse, any Error>

  package let scheduler: TestScheduler
  package let clock: WallClock
  package let server: TokenServer
  package let session: TokenSession

  /// - Parameters:
  ///   - credential: What the store holds; the server takes `t0` until it expires.
  ///   - store: Where it is kept, if not in memory.
  ///   - grant: How tokens are renewed; as the server wants it by default.
  package init(
    _ scheduler: TestScheduler = TestScheduler(),
    credential: Credential? = Credential(accessToken: "t0", refreshToken: "r0"),
    store: (any TokenStore)? = nil, options: TokenSessionOptions = TokenSessionOptions(),
    grant: ((TokenServer) -> any TokenGrant)? = nil
  ) {
    let server = TokenServer(scheduler: scheduler)
    let clock = WallClock(scheduler)
    self.scheduler = scheduler
    self.server = server
    self.clock = clock
    session = TokenSession(
      grant: grant?(server) ?? JSONRefreshGrant(baseURL: TokenServer.origin, transport: server),
      store: store ?? MemoryTokenStore(credential), options: options, scheduler: scheduler,
      date: { clock.now })
  }

  package var api: TestAPI { TestAPI(baseURL: TokenServer.origin, transport: server) }

  /// An authorized `GET`.
  package func get(_ path: String) -> AnyPublisher<RESTResponse, any Error> {
    session.authorize(api.get(endpoint: path))
  }

  /// Begins an authorized `GET`.
  @discardableResult
  package func call(_ path: String) -> Subscriber {
    begin(get(path))
  }

  @discardableResult
  package func begin(_ publisher: some Publisher<RESTResponse, any Error>) -> Subscriber {
    let subscriber = Subscriber()
    publisher.receive(subscriber: subscriber)
    return subscriber
  }

  /// Begins so many calls, to `a1`, `a2` and so on.
  package func callMany(_ count: Int) -> [Subscriber] {
    (1...count).map { call("a\($0)") }
  }
}

extension TestSubscriber where Input == RESTResponse, Failure == any Error {
  /// How the call ended: a status, an error of the session's, or that it has not.
  package var outcome: String {
    if let response = values.first { return isFinished ? "\(response.statusCode)" : "open" }
    switch failure {
    case nil: return "open"
    case let error as TokenSessionError: return "\(error)".isEmpty ? "" : error.name
    case let error as RESTError: return "\(error.kind)"
    case let error?: return "\(error)"
    }
  }
}

extension TokenSessionError {
  /// The case, as a word.
  package var name: String {
    switch self {
    case .signedOut: "signedOut"
    case .refreshRefused: "refused"
    case .refreshFailed: "failed"
    case .refreshTimedOut: "timedOut"
    case .newTokensRefused: "newTokensRefused"
    case .refreshNeedsItself: "needsItself"
    case .storeNotReadable: "notReadable"
    case .storeNotWritable: "notWritable"
    }
  }
}

/// The error of a scenario with many seeds that goes wrong.
///
/// `#expect` would cost too much there.
package struct Astray: Error, CustomStringConvertible {
  package let description: String

  package init(description: String) { self.description = description }
}

package func demand(_ isSo: Bool, _ text: @autoclosure () -> String) throws {
  if !isSo { throw Astray(description: text()) }
}
