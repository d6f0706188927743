import Foundation

/// How long a token is valid, as servers write it: `3600`, `3600.0`, `"3600"`.
///
/// Zero, less than zero, and what is no number say nothing: a token that was just bought is used
/// until it is refused. More than ten years are ten years.
public struct TokenLifetime: Sendable, Hashable, Decodable {
  /// The time; nil where the server does not say.
  public let duration: Duration?

  /// Ten years, in seconds: what is longer means "for ever", and would not fit everywhere.
  static let longest = 315_360_000.0

  /// - Parameter seconds: What the server says; nil where it does not.
  public init(seconds: Double?) {
    duration = seconds.flatMap { $0 > 0 ? .seconds(Swift.min($0, Self.longest)) : nil }
  }

  /// Reads a number, or a text of one.
  public init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if let number = try? value.decode(Double.self) {
      self.init(seconds: number)
    } else {
      let text = (try? value.decode(String.self))?.trimmingCharacters(in: .whitespaces)
      self.init(seconds: text.flatMap { Double($0) })
    }
  }
}
