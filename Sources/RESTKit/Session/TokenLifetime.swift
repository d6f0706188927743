import Foundation

/// The lifetime of a token, as servers write it: `3600`, `3600.0`, `"3600"`.
///
/// Zero, negative numbers and other texts count as no information: a new token is used until it is refused.
/// More than ten years count as ten years.
public struct TokenLifetime: Sendable, Hashable, Decodable {
  /// The lifetime, or nil if the server does not state it.
  public let duration: Duration?

  /// Ten years in seconds.
  ///
  /// A longer lifetime means "forever", and would overflow some types.
  static let longest = 315_360_000.0

  /// - Parameter seconds: The server's value in seconds, or nil if it states none.
  public init(seconds: Double?) {
    duration = seconds.flatMap { $0 > 0 ? .seconds(Swift.min($0, Self.longest)) : nil }
  }

  /// Decodes a number, or a string that contains a number.
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
