import Foundation

/// One answer that a cache keeps, with what has to be known to use it.
struct StoredResponse: Sendable {
  /// The fields as they are stored: those of the connection are gone (RFC 9111 §3.1).
  var head: ResponseHead {
    didSet { knownRules = nil }
  }
  var data: Data
  /// When its request was sent, and when it came, by the wall clock (RFC 9111 §4.2.3).
  var requestTime: Date {
    didSet { knownRules = nil }
  }
  var responseTime: Date {
    didSet { knownRules = nil }
  }
  /// The request's fields that `Vary` names, by lower-case name, normalized; nil for one it had not.
  var varying: [String: String?]
  /// Whether an unsafe method, or a HEAD, said that it must be validated (RFC 9111 §4.3.5, §4.4).
  var isInvalidated = false
  /// What the head says of its reuse, where somebody read it already: a hit has no time to.
  ///
  /// It is no part of what a store writes down.
  var knownRules: ResponseRules?
}
