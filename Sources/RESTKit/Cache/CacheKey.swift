/// What answers are kept under (RFC 9111 §2): the target, for one asker.
///
/// The method is no part of it: what a GET was told serves a HEAD, too.
struct CacheKey: Hashable, Sendable {
  /// The target URI without its fragment, its scheme and host in lower case.
  let url: String
  let partition: CachePartition
}
