/// Where a cache keeps its answers.
///
/// Its methods are called on any thread, on the way of a call, and return soon: what takes long runs
/// elsewhere, and is seen by those that come after it all the same. None of them fails: what cannot be
/// kept is not kept. They may be called with a lock held, so that what they let go of is returned: to
/// release a user's bytes may call the user.
protocol CacheStore: Sendable {
  /// The most bytes that an answer to an asker may have to be kept.
  func maxAnswerBytes(in partition: CachePartition) -> Int

  /// All answers that are kept under a key, one for each set of varying fields, latest first.
  func responses(for key: CacheKey) -> [StoredResponse]

  /// Keeps an answer in the place of the one with the same varying fields.
  ///
  /// - Returns: What is not kept any more.
  @discardableResult
  func keep(_ response: StoredResponse, for key: CacheKey) -> [StoredResponse]

  /// Forgets all answers under a key.
  ///
  /// - Returns: What is not kept any more.
  @discardableResult
  func remove(_ key: CacheKey) -> [StoredResponse]

  /// Forgets all answers of a target, whoever asked for them.
  ///
  /// - Returns: What is not kept any more.
  @discardableResult
  func removeAll(at url: String) -> [StoredResponse]

  /// Forgets all answers of an asker, those with further secrets included.
  ///
  /// - Returns: What is not kept any more.
  @discardableResult
  func removeAll(of partition: CachePartition) -> [StoredResponse]

  /// Forgets everything.
  ///
  /// - Returns: What is not kept any more.
  @discardableResult
  func removeAll() -> [StoredResponse]
}
