/// Where a cache keeps its answers.
///
/// Its methods are called on any thread, on the way of a call, and return soon: what takes long runs
/// elsewhere, and is seen by those that come after it all the same. None of them fails: what cannot be
/// kept is not kept.
protocol CacheStore: Sendable {
  /// All answers that are kept under a key, one for each set of varying fields, latest first.
  func responses(for key: CacheKey) -> [StoredResponse]

  /// Keeps an answer in the place of the one with the same varying fields.
  func keep(_ response: StoredResponse, for key: CacheKey)

  /// Forgets all answers under a key.
  func remove(_ key: CacheKey)

  /// Forgets all answers of an asker.
  func removeAll(of partition: CachePartition)

  /// Forgets everything.
  func removeAll()
}
