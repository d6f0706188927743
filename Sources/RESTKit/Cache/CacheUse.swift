/// How a pipeline uses a cache.
public enum CacheUse: Hashable, Sendable {
  /// What is kept is given as long as the rules allow it, and nothing is sent then.
  case standard
  /// The server is always asked whether what is kept still holds, and nothing stale is given.
  case revalidated
  /// What is stale, and may be given all the same, is given at once, and then what the server says:
  /// two values. One value where what is kept is fresh, and where nothing is kept that may be given.
  case cachedThenFresh
}
