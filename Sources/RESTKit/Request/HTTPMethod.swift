/// The method of a request (RFC 9110 §9); any token can be one.
public struct HTTPMethod: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  public let rawValue: String

  /// - Parameter rawValue: The method as it goes on the wire; methods are case-sensitive.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// - Parameter name: The method as it goes on the wire; methods are case-sensitive.
  public init(_ name: String) {
    rawValue = name
  }

  public static let get = HTTPMethod("GET")
  public static let head = HTTPMethod("HEAD")
  public static let post = HTTPMethod("POST")
  public static let put = HTTPMethod("PUT")
  public static let patch = HTTPMethod("PATCH")
  public static let delete = HTTPMethod("DELETE")
  public static let options = HTTPMethod("OPTIONS")

  public var description: String { rawValue }
}
