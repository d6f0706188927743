import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The method of a request (RFC 9110 §9); any token can be one.
///
/// Methods are case-sensitive, but `URLRequest` writes `get`, `post`, `put`, `delete`, `head` and
/// `connect` in capitals as soon as one is set. A verb refuses such a method; of one that a request
/// modifier sets nobody can tell any more.
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

  /// The method; of what is no token only what stands before the first character that is none, since
  /// a line break could forge a line of a log.
  public var description: String { RequestValidation.printable(method: rawValue) }
}

extension URLRequest {
  /// The method: GET where none is set, as Foundation sends it.
  package var method: HTTPMethod { HTTPMethod(httpMethod ?? "GET") }
}
