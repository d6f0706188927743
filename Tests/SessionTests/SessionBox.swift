import RESTKit
import Streams

/// Holds a session for what is made before it: a grant, a store.
final class SessionBox: Sendable {
  private let session = Lock<TokenSession?>(nil)

  var held: TokenSession? { session.withLock { $0 } }

  func set(_ session: TokenSession?) {
    let released = self.session.withLock { held in
      defer { held = session }
      return held
    }
    withExtendedLifetime(released) {}
  }
}
