/// Begins something of its own for each call and each exchange, and ends it with them: a span, a count.
///
/// ``ObservedTransport/instrument(with:)`` adds one. A call is all that one subscription to a verb's
/// pipeline does; an exchange is one request on the wire: an attempt, a redirect, a refresh.
///
/// Its methods run with no lock held, on the thread where a call or an exchange begins or ends. The call
/// waits for them.
public protocol CallInstrument: AnyObject, Sendable {
  /// Begins what belongs to a call, before its first exchange over the transport.
  ///
  /// It runs once for each call. Where two threads send the first requests of one call at the same time, it
  /// may run for each of them; both end with the call.
  func beginCall(_ beginning: CallBeginning) -> any InstrumentedCall
}
