import Streams

/// The information that a ``CallInstrument`` gets about a call that begins.
public struct CallBeginning: Sendable {
  /// The context that the subscriber passes upstream.
  public let context: SubscriptionContext
  /// The time since the call began.
  ///
  /// The call may have waited for a token before its transport was known.
  public let age: Duration
  /// Whether the call may send more than one request, because of a retry, a session or a redirect.
  public let mayRepeat: Bool
  /// The same instrument's object for the call that caused this call, or nil if there is none.
  ///
  /// For example, the parent of a refresh is the call that began it.
  public let parent: (any InstrumentedCall)?
}
