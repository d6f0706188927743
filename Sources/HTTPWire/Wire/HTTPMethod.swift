import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The method of a request (RFC 9110 §9).
///
/// Any token can be a method.
///
/// Methods are case-sensitive, but `URLRequest` changes `get`, `post`, `put`, `delete`, `head` and
/// `connect` to capitals. A verb refuses such a lowercase method. A lowercase method that a request
/// modifier sets cannot be detected.
public struct HTTPMethod: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  public let rawValue: String

  /// - Parameter rawValue: The case-sensitive method, as it is sent.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// - Parameter name: The case-sensitive method, as it is sent.
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

  /// The method.
  ///
  /// If it is not a token, only the text before the first invalid character, since a line break
  /// could forge a line of a log.
  public var description: String { RequestValidation.printable(method: rawValue) }
}

extension URLRequest {
  /// The method, or GET if none is set, as Foundation sends it.
  package var method: HTTPMethod { HTTPMethod(httpMethod ?? "GET") }
}
