import Foundation

/// The storage of a cache's responses.
///
/// Calls use its methods on any thread, and the methods return soon: slow work runs elsewhere, but
/// later calls see its effect at once. No method fails: a response that cannot be stored is dropped.
/// The methods may be called with a lock held. So they return released responses instead of releasing
/// them, because releasing a user's bytes may run the user's code.
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
  /// Whether the response must be validated after an unsafe method or a HEAD (RFC 9111 §4.3.5, §4.4).
  var isInvalidated = false
  /// The rules for reusing the response, if they were already read, so that a hit need not read them.
  ///
  /// A store does not write them.
  var knownRules: ResponseRules?
}
