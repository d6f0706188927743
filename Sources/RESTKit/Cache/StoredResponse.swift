import Foundation

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
  var varying: [String: String?]
  /// Whether the response must be validated after an unsafe method or a HEAD (RFC 9111 §4.3.5, §4.4).
  var isInvalidated = false
  /// The rules for reusing the response, if they were already read, so that a hit need not read them.
  ///
  /// A store does not write them.
  var knownRules: ResponseRules?
}
