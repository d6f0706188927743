import Streams

/// The context key of an exchange for which other calls wait, such as a session's request for a
/// token.
///
/// Six open streams would otherwise take all connections to the server, and the exchange would wait
/// for the calls that wait for it.
package enum UrgentExchange: SubscriptionContextKey {
  package static var defaultValue: Bool { false }
}
