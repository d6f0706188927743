/// Whose answers a cache keeps apart from those of others.
struct CachePartition: Hashable, Sendable {
  /// A text that no other asker has; nothing secret can be read out of it.
  let name: String
  /// Whether the name means the same asker in another process, so that a folder may keep it.
  let isLasting: Bool

  /// Whether another is this one, or this asker's with further secrets.
  func includes(_ other: CachePartition) -> Bool {
    other == self || !name.isEmpty && other.name.hasPrefix("\(name)/")
  }

  /// Who asks without a credential.
  static let anonymous = CachePartition(name: "", isLasting: true)
}
