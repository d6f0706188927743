/// The owner of stored responses, which a cache keeps apart from those of others.
struct CachePartition: Hashable, Sendable {
  /// A unique text, from which no secret can be derived.
  let name: String
  /// Whether the name means the same asker in another process, so that responses may be stored in a
  /// folder.
  let isLasting: Bool

  /// Whether another partition is this one, or this asker's with further secrets.
  func includes(_ other: CachePartition) -> Bool {
    other == self || !name.isEmpty && other.name.hasPrefix("\(name)/")
  }

  /// The partition of requests without a credential.
  static let anonymous = CachePartition(name: "", isLasting: true)
}
