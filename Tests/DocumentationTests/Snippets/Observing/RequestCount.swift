import RESTKit
import Synchronization

// snippet: instrument
/// Counts the requests that are under way, and gives each a number that its server can log.
final class RequestCount: CallInstrument, InstrumentedCall, InstrumentedExchange {
  private let counts = Mutex((sent: 0, active: 0))

  var active: Int { counts.withLock { $0.active } }

  func beginCall(_ beginning: CallBeginning) -> any InstrumentedCall { self }

  func beginExchange(
    _ beginning: ExchangeBeginning, adding headers: inout HTTPHeaders
  ) -> any InstrumentedExchange {
    let number = counts.withLock { counts in
      counts.sent += 1
      counts.active += 1
      return counts.sent
    }
    headers.append(name: "X-Request-Number", value: "\(number)")
    return self
  }

  func end(_ end: ExchangeEnd) { counts.withLock { $0.active -= 1 } }

  func end(_ log: CallLog) {}
}
// end
