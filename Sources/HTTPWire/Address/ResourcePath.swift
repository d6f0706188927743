import Foundation

/// The path of a resource below a base URL.
///
/// It is written as a literal, whose values cannot change its structure.
///
/// ```swift
/// let path: ResourcePath = "pets/\(id)/photos/\(name).jpg"
/// ```
///
/// The literal text is a path and may have slashes. A value is always a part of one segment: all
/// its characters but the unreserved ones (RFC 3986 §2.3) are encoded, so that `../admin` is only
/// an unusual name. A value must not be empty or make the segment `.` or `..`. The request then
/// fails with ``RESTError`` of kind `invalidEndpoint`, as it does for any text that a path must not
/// have.
///
/// Texts, numbers, UUIDs and enumerations with a raw value can be values. An optional cannot, so
/// that no path contains `nil`.
public struct ResourcePath: Sendable, Hashable {
  package let checked: Result<EndpointPath, URLJoinError>
  private let origin: Template

  /// The source text of a path.
  private enum Template: Sendable {
    case unknown
    case literal(String)
    // The parts exist anyway. Their text is made only when it is needed.
    case parts([StringInterpolation.Part])
  }

  /// Whether two paths make the same URL, or have the same error.
  ///
  /// Their source text does not matter.
  public static func == (left: ResourcePath, right: ResourcePath) -> Bool {
    left.checked == right.checked
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(checked) }

  /// Creates a path that is known only at run time.
  ///
  /// Slashes in it separate segments.
  ///
  /// - Parameter path: The path below the base URL. A leading `/` makes no difference.
  public init(_ path: String) {
    self.init(path, as: .unknown)
  }

  private init(_ path: String, as origin: Template) {
    checked = Result { () throws(URLJoinError) in try EndpointPath(path) }
    self.origin = origin
  }
}

extension ResourcePath {
  /// Returns the path of the URL with `{}` in place of each value, such as `/v1/pets/{}`; nil if
  /// the path is known only at run time.
  package func template(below baseURL: String) -> String? {
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

  /// The literal parts and the values of a path.
  public struct StringInterpolation: StringInterpolationProtocol {
    package enum Part: Sendable {
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

    /// Appends a value to the current segment.
    public mutating func appendInterpolation(_ value: some LosslessStringConvertible) {
      parts.append(.value(String(value)))
    }

    /// Appends a UUID to the current segment, in upper case, as Foundation writes it.
    public mutating func appendInterpolation(_ id: UUID) {
      parts.append(.value(id.uuidString))
    }

    /// Appends a raw value to the current segment.
    public mutating func appendInterpolation<Value: RawRepresentable>(_ value: Value)
    where Value.RawValue: LosslessStringConvertible {
      parts.append(.value(String(value.rawValue)))
    }
  }
}

extension ResourcePath: CustomStringConvertible {
  /// The path in the form of a URL, or its error.
  public var description: String {
    switch checked {
    case .success(let path): path.encoded
    case .failure(let error): "\(error)"
    }
  }
}
