/// A count of new tokens that the API refused before it had accepted them.
///
/// Such refusals show that refreshing does not help.
struct NewTokenRefusals: Sendable {
  private var times: [Duration] = []
  private var lastNumber = 0

  /// - Parameter number: The credential's number; many calls may be refused with the same credential.
  mutating func note(_ number: Int, at time: Duration) {
    guard number != lastNumber else { return }
    lastNumber = number
    times.append(time)
  }

  mutating func count(at now: Duration, within window: Duration) -> Int {
    times.removeAll { $0 <= now - window }
    return times.count
  }
}
