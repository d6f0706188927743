/// An instrument that begins an object for each call and each exchange, and ends it with them: a span, a
/// count.
///
/// ``ObservedTransport/instrument(with:)`` adds one. A call is all the work of one subscription to a verb's
/// pipeline. An exchange is one request on the wire: an attempt, a redirect, a refresh.
///
/// The methods run with no lock held, on the thread on which a call or an exchange begins or ends. The call
/// waits for them.
public protocol CallInstrument: AnyObject, Sendable {
  /// Begins the object of a call, before the call's first exchange over the transport.
  ///
  /// The method runs once for each call. If two threads send the first requests of one call at the same time,
  /// it may run for each of them. Both objects end with the call.
  func beginCall(_ beginning: CallBeginning) -> any InstrumentedCall
}
