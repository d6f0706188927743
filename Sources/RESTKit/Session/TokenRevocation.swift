import Streams

/// How a credential is ended at the server that issued it.
///
/// ``TokenSession/signOut(revokingWith:)`` runs it.
public protocol TokenRevocation: Sendable {
  /// Tells the server that a credential is not to be accepted any longer: once for each subscription.
  ///
  /// One value comes when the server has agreed, or a failure. A cancel ends the exchange; the server may
  /// have acted then.
  func revocation(of credential: Credential) -> AnyPublisher<Void, any Error>
}
