import Foundation

/// The path of a resource below a base URL, written as a literal whose values cannot leave their
/// place.
///
/// ```swift
/// let path: ResourcePath = "pets/\(id)/photos/\(name).jpg"
/// ```
///
/// What stands in the literal is a path and may have slashes. A value is always a part of one
/// segment: all of it but unreserved characters (RFC 3986 §2.3) is encoded, so `../admin` stays what
/// it is, a strange name. A value that is empty, or that makes a segment `.` or `..`, is refused
/// when the request is made, as everything is that a path may not have, with ``RESTError`` of kind
/// `invalidEndpoint`.
///
/// Texts, numbers, UUIDs and enumerations with a raw value can be values; an optional cannot, so that
/// no path says `nil`.
public struct ResourcePath: Sendable, Hashable {
  let checked: Result<EndpointPath, URLJoinError>
  private let origin: Template

  /// What a path was written as.
  private enum Template: Sendable {
    case unknown
    case literal(String)
    // The parts are there anyhow: a text of them is made where somebody asks for it.
    case parts([StringInterpolation.Part])
  }

  /// Two paths are equal that make the same URL, or are wrong in the same way, however they were written.
  public static func == (left: ResourcePath, right: ResourcePath) -> Bool {
    left.checked == right.checked
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(checked) }

  /// A path that is known at run time only; slashes in it separate segments.
  ///
  /// - Parameter path: The path below the base URL. A leading `/` is the same as none.
  public init(_ path: String) {
    self.init(path, as: .unknown)
  }

  private init(_ path: String, as origin: Template) {
    checked = Result { () throws(URLJoinError) in try EndpointPath(path) }
    self.origin = origin
  }
}

extension ResourcePath {
  /// The path of the URL with `{}` in the place of each value: `/v1/pets/{}`; nil where the path is known
  /// at run time only.
  func template(below baseURL: String) -> String? {
    let path: String
    switch origin {
    case .unknown: return nil
    case .literal(let text): path = text
    case .parts(let parts):
      path = parts.reduce(into: "") { text, part in
        if case .path(let literal) = part { text += literal } else { text += "{}" }
      }
    }
    let base = (try? BaseURL(baseURL))?.path ?? ""
    return "\(base)/\(path.droppingFirstSlash)"
  }
}

extension ResourcePath: ExpressibleByStringInterpolation {
  public init(stringLiteral path: String) {
    self.init(path, as: .literal(path))
  }

  public init(stringInterpolation: StringInterpolation) {
    let parts = stringInterpolation.parts
    checked = Result { () throws(URLJoinError) in try EndpointPath(parts) }
    origin = .parts(parts)
  }

  /// Keeps apart what is path and what is value.
  public struct StringInterpolation: StringInterpolationProtocol {
    enum Part: Sendable {
      case path(String)
      case value(String)
    }

    private(set) var parts: [Part] = []

    public init(literalCapacity: Int, interpolationCount: Int) {
      parts.reserveCapacity(2 * interpolationCount + 1)
    }

    public mutating func appendLiteral(_ literal: String) {
      if !literal.isEmpty { parts.append(.path(literal)) }
    }

    /// Adds a value to the segment it stands in.
    public mutating func appendInterpolation(_ value: some LosslessStringConvertible) {
      parts.append(.value(String(value)))
    }

    /// Adds a UUID to the segment it stands in, in upper case, as Foundation writes it.
    public mutating func appendInterpolation(_ id: UUID) {
      parts.append(.value(id.uuidString))
    }

    /// Adds a raw value to the segment it stands in.
    public mutating func appendInterpolation<Value: RawRepresentable>(_ value: Value)
    where Value.RawValue: LosslessStringConvertible {
      parts.append(.value(String(value.rawValue)))
    }
  }
}

extension ResourcePath: CustomStringConvertible {
  /// The path as it stands in a URL, or what is wrong with it.
  public var description: String {
    switch checked {
    case .success(let path): path.encoded
    case .failure(let error): "\(error)"
    }
  }
}
