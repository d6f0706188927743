/// A link of a message to another resource: one value of the `Link` header field (RFC 8288).
///
/// `HTTPHeaders.links` reads the links of a message. The target is the server's own text;
/// ``url(relativeTo:)`` makes a URL of it.
public struct HTTPLink: Sendable, Hashable {
  /// A parameter of a link, such as `title` or `hreflang`.
  public struct Parameter: Sendable, Hashable {
    /// The name, in lower case.
    public let name: String
    /// The value without quotes and escapes, or an empty text if the parameter has no value.
    public let value: String
  }

  /// The URL or the relative reference between the angle brackets.
  public let target: String

  /// The relation types of `rel`, in lower case and in order, or an empty array if there are none.
  ///
  /// If there are several `rel` parameters, the first one counts (RFC 8288 §3.3). `rel*` and `rev` do not
  /// count as relations.
  public let relations: [String]

  /// All parameters in order, with duplicates.
  public let parameters: [Parameter]

  init(target: String, parameters: [Parameter]) {
    self.target = target
    self.parameters = parameters
    let rel = parameters.first { $0.name == "rel" }?.value ?? ""
    relations = rel.utf8.split(whereSeparator: \.isBlank).map { Substring($0).lowercased() }
  }

  /// The value of the first parameter of a name, in any case, or nil if there is none.
  public subscript(name: String) -> String? {
    let name = name.lowercased()
    return parameters.first { $0.name == name }?.value
  }

  /// The resource at which the link starts, as the server wrote it.
  ///
  /// It is nil if that is the resource of the response itself (RFC 8288 §3.2).
  public var anchor: String? { self["anchor"] }

  /// Returns whether the link has a relation type, in any case.
  public func isRelated(by relation: String) -> Bool {
    relations.contains(relation.lowercased())
  }
}

extension HTTPLink: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// A text such as `<https://api.example.com/orders?…>; rel="next"`, without the query and user info.
  ///
  /// Only a text before `@` in the authority of a URL is user info. An address such as `mailto:a@b.c` is
  /// shown.
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
