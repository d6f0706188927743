extension Double {
  /// The number in decimal, without a fraction of zero.
  public var short: String {
    self == rounded() ? String(Int(self)) : String(self)
  }

  /// The number rounded to two digits, or to a whole number if that is longer.
  public var significant: String {
    if self >= 9.95 { return String(Int(rounded())) }
    return self >= 0.995 ? String((self * 10).rounded() / 10) : hundredths
  }

  public var hundredths: String {
    let hundredths = Int((self * 100).rounded())
    let rest = hundredths % 100
    return rest == 0
      ? String(hundredths / 100) : "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
  }
}
