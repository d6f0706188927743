import Foundation

/// The moment at which a request left, and the credential that it carried.
///
/// The response to the request names it: what a response says about a credential concerns this one,
/// whichever is current when the response arrives.
final class Departure: Sendable {
  /// The credential that a session put on the request; nil without one.
  let credential: (any AnyObject & Sendable)?
  /// The time of day; nil if no cache asks for it.
  let date: Date?

  init(with credential: (any AnyObject & Sendable)?, at date: Date?) {
    self.credential = credential
    self.date = date
  }
}
