import Streams

/// What a ``CallInstrument`` is told of a call that begins.
public struct CallBeginning: Sendable {
  /// What the subscriber gives to everything upstream of it.
  public let context: SubscriptionContext
  /// How long ago the call began: it may have waited for a token before its transport was known.
  public let age: Duration
  /// Whether the call may send more than one request: for a retry, a session, a redirect.
  public let mayRepeat: Bool
  /// What the same instrument has of the call that this one is made for; nil where there is none.
  ///
  /// A refresh is made for the call that began it.
  public let parent: (any InstrumentedCall)?
}
