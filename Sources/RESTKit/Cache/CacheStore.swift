import Foundation

/// The storage of a cache's responses.
///
/// Calls use its methods on any thread, and the methods return soon: slow work runs elsewhere, but
/// later calls see its effect at once. No method fails: a response that cannot be stored is
/// dropped. The methods may be called with a lock held. So they return released responses instead
/// of releasing them, because releasing a user's bytes may run the user's code.
protocol CacheStore: Sendable {
  /// Whether the responses of lasting partitions are written to a folder.
  var isLasting: Bool { get }

  /// The maximum size, in bytes, of a response in a partition.
  func maxResponseBytes(in partition: CachePartition) -> Int

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

  /// Removes all responses of a target, for all principals.
  ///
  /// - Returns: The responses that are no longer stored.
  @discardableResult
  func removeAll(at url: String) -> [StoredResponse]

  /// Removes all responses of a principal, including those with further secrets and over other
  /// roads.
  ///
  /// - Returns: The responses that are no longer stored.
  @discardableResult
  func removeAll(of partition: CachePartition) -> [StoredResponse]

  /// Removes everything.
  ///
  /// - Returns: The responses that are no longer stored.
  @discardableResult
  func removeAll() -> [StoredResponse]

  /// Waits for a moment until the work of the last change is done, if the store is idle otherwise.
  ///
  /// Then a process that ends soon keeps its responses. No lock may be held.
  func settle()

  /// Waits for all work, because nobody needs the store any more.
  func finish()

  /// Reports when all changes so far are true for a process that begins then.
  ///
  /// - Parameters:
  ///   - kind: The changes whose failure counts.
  ///   - report: A closure that receives the failure, or nil if there is none.
  func whenDone(_ kind: CacheChangeKind, _ report: @escaping @Sendable (DiskCacheError?) -> Void)
}

/// The changes of a store whose failure somebody wants to know.
enum CacheChangeKind: Sendable {
  case removals
  case all
}

// In memory, a change is done when its method returns.
extension CacheStore {
  func settle() {}

  func finish() {}

  func whenDone(_ kind: CacheChangeKind, _ report: @escaping @Sendable (DiskCacheError?) -> Void) {
    report(nil)
  }
}

/// A stored response, with the facts that are needed to use it.
struct StoredResponse: Sendable {
  /// The head as it is stored, without the fields of the connection (RFC 9111 §3.1).
  var head: ResponseHead {
    didSet { knownRules = nil }
  }
  var data: Data
  /// The time of the request by the wall clock (RFC 9111 §4.2.3).
  ///
  /// `responseTime` is that of the response.
  var requestTime: Date {
    didSet { knownRules = nil }
  }
  var responseTime: Date {
    didSet { knownRules = nil }
  }
  /// The request's fields that `Vary` names, by name in lower case, normalized; nil for a missing
  /// field.
  var varying: [String: ExactText?]
  /// Whether the response must be validated after an unsafe method or a HEAD (RFC 9111 §4.3.5,
  /// §4.4).
  var isInvalidated = false
  /// The rules for reusing the response, if they were already read, so that a hit need not read
  /// them.
  ///
  /// A store does not write them.
  var knownRules: ResponseRules?
}
