import Streams

/// A way to revoke a credential at the server that issued it.
///
/// ``TokenSession/signOut(revokingWith:)`` runs it.
public protocol TokenRevocation: Sendable {
  /// Returns a publisher that asks the server to revoke a credential, once for each subscription.
  ///
  /// It delivers one value when the server has agreed, or fails. A cancel ends the exchange, but the server
  /// may have acted already.
  func revocation(of credential: Credential) -> AnyPublisher<Void, any Error>
}
