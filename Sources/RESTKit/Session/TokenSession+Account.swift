import Streams

// What an app may show of the signed-in user, without a token.
extension TokenSession {
  /// The account of the signed-in user, as ``Credential/account`` of the credential says it.
  ///
  /// It is nil if no user is signed in, if the credential names no account, and while the store
  /// cannot be read. As ``state`` does, it makes the session read its store if it has not found a
  /// credential yet.
  public var account: String? { credential?.account }

  /// What the credential of the signed-in user keeps besides its tokens, such as the id of a
  /// device, as ``Credential/extras``.
  ///
  /// ```swift
  /// let device = session.extras["device_id"]?.string
  /// ```
  ///
  /// It is empty if no user is signed in, and while the store cannot be read. As ``state`` does, it
  /// makes the session read its store if it has not found a credential yet.
  public var extras: [String: JSONValue] { credential?.extras ?? [:] }

  private var credential: Credential? {
    update { machine, _ in machine.read() }
    let (held, isReading) = machine.withLock { ($0.current?.credential, $0.isReading) }
    // Another thread's first look into the store has not ended.
    return isReading ? (try? store.read()) : held
  }
}
