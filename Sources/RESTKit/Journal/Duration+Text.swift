extension Duration {
  /// The duration in whole microseconds, rounded toward zero and clamped to `Int64`, since a server may ask
  /// for any wait.
  package var inMicroseconds: Int64 { Int64(clamping: attoseconds / 1_000_000_000_000) }

  /// A text with two significant digits, such as `0.42 ms`, `4.2 ms`, `420 ms` or `4.2 s`, rounded down.
  package var shortText: String {
    let microseconds = inMicroseconds
    func decimal(_ value: Int64, digits: Int) -> String {
      let unit: Int64 = digits == 1 ? 10 : 100
      let rest = "\(value % unit)"
      return "\(value / unit).\(String(repeating: "0", count: digits - rest.count))\(rest)"
    }
    switch microseconds {
    case ..<1_000: return "\(decimal(microseconds / 10, digits: 2)) ms"
    case ..<10_000: return "\(decimal(microseconds / 100, digits: 1)) ms"
    case ..<1_000_000: return "\(microseconds / 1_000) ms"
    default: return "\(decimal(microseconds / 100_000, digits: 1)) s"
    }
  }
}
