/// The way in which a pipeline uses a cache.
public enum CacheUse: Hashable, Sendable {
  /// A stored response is delivered if the rules allow it, and nothing is sent then.
  case standard
  /// The server is always asked whether a stored response is still valid, and no stale response is
  /// delivered.
  case revalidated
  /// A stale response that may be used is delivered at once, and then the server's response: two
  /// values. There is one value if the stored response is fresh, or if no stored response may be used.
  case cachedThenFresh
}
