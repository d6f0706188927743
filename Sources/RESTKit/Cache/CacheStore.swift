/// The storage of a cache's responses.
///
/// Calls use its methods on any thread, and the methods return soon: slow work runs elsewhere, but
/// later calls see its effect at once. No method fails: a response that cannot be stored is dropped.
/// The methods may be called with a lock held. So they return released responses instead of releasing
/// them, because releasing a user's bytes may run the user's code.
protocol CacheStore: Sendable {
  /// The maximum size, in bytes, of a response in a partition.
  func maxAnswerBytes(in partition: CachePartition) -> Int

  /// Returns all responses under a key, one for each set of varying fields, latest first.
  func responses(for key: CacheKey) -> [StoredResponse]

  /// Stores a response and replaces the one with the same varying fields.
  ///
  /// - Returns: The responses that are no longer stored.
  @discardableResult
  func keep(_ response: StoredResponse, for key: CacheKey) -> [StoredResponse]

  /// Removes all responses under a key.
  ///
  /// - Returns: The responses that are no longer stored.
  @discardableResult
  func remove(_ key: CacheKey) -> [StoredResponse]

  /// Removes all responses of a target, for all askers.
  ///
  /// - Returns: The responses that are no longer stored.
  @discardableResult
  func removeAll(at url: String) -> [StoredResponse]

  /// Removes all responses of an asker, including those with further secrets.
  ///
  /// - Returns: The responses that are no longer stored.
  @discardableResult
  func removeAll(of partition: CachePartition) -> [StoredResponse]

  /// Removes everything.
  ///
  /// - Returns: The responses that are no longer stored.
  @discardableResult
  func removeAll() -> [StoredResponse]
}
