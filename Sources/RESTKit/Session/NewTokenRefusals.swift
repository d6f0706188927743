/// How often the API refused a new token before it had accepted it: a sign that refreshing does not
/// help.
struct NewTokenRefusals: Sendable {
  private var times: [Duration] = []
  private var lastNumber = 0

  /// - Parameter number: The credential's; many calls may be refused with the same one.
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
