/// The key of stored responses (RFC 9111 §2): the target, for one asker.
///
/// The method is not part of it: a stored response to GET also answers a HEAD.
struct CacheKey: Hashable, Sendable {
  /// The target URI without its fragment, with scheme and host in lower case.
  let url: String
  let partition: CachePartition
}
