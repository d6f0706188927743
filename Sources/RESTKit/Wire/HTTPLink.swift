/// A link of a message to another resource: one value of the `Link` header field (RFC 8288).
///
/// `HTTPHeaders.links` reads them. The target is what the server wrote;
/// ``url(relativeTo:)`` makes a URL of it.
public struct HTTPLink: Sendable, Hashable {
  /// A parameter of a link, such as `title` or `hreflang`.
  public struct Parameter: Sendable, Hashable {
    /// The name, in small letters.
    public let name: String
    /// The value without quotes and escapes; empty where the parameter has none.
    public let value: String
  }

  /// The URL or the relative reference between the angle brackets.
  public let target: String

  /// The relation types of `rel`, in small letters and in order; empty where there is none.
  ///
  /// Of several `rel`, the first counts (RFC 8288 §3.3). `rel*` and `rev` are no relation.
  public let relations: [String]

  /// All parameters, in order, duplicates kept.
  public let parameters: [Parameter]

  init(target: String, parameters: [Parameter]) {
    self.target = target
    self.parameters = parameters
    let rel = parameters.first { $0.name == "rel" }?.value ?? ""
    relations = rel.utf8.split(whereSeparator: \.isBlank).map { Substring($0).lowercased() }
  }

  /// The value of the first parameter of a name, in any case; nil where there is none.
  public subscript(name: String) -> String? {
    let name = name.lowercased()
    return parameters.first { $0.name == name }?.value
  }

  /// The resource that the link starts from, as the server wrote it; nil where it is the one that was
  /// answered (RFC 8288 §3.2).
  public var anchor: String? { self["anchor"] }

  /// Whether a relation type is one of the link's, in any case.
  public func isRelated(by relation: String) -> Bool {
    relations.contains(relation.lowercased())
  }
}

extension HTTPLink: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Such as `<https://api.example.com/orders?…>; rel="next"`: nothing of the query and of user info.
  public var description: String {
    let end =
      target.utf8.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
      ?? target.endIndex
    let rest = end == target.endIndex ? "" : "…"
    let place = Self.withoutUserInfo(target[..<end])
    return "<\(place)\(rest)>; rel=\"\(relations.joined(separator: " "))\""
  }

  /// - Parameter place: A target without its query.
  private static func withoutUserInfo(_ place: Substring) -> String {
    let bytes = place.utf8
    let slash = UInt8(ascii: "/")
    guard let start = bytes.firstIndex(of: slash), bytes[start...].starts(with: "//".utf8) else {
      return String(place)
    }
    let rest = bytes[start...].dropFirst(2)
    let authority = rest.prefix { $0 != slash }
    guard let at = authority.lastIndex(of: UInt8(ascii: "@")) else { return String(place) }
    return "\(place[..<rest.startIndex])…\(place[at...])"
  }

  public var debugDescription: String { description }

  public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
