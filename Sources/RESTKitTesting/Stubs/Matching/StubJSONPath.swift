/// A path to values in JSON: the part of JSONPath (RFC 9535) that has names, indices and wildcards.
struct StubJSONPath: Sendable {
  private enum Segment: Sendable {
    case name(String)
    case index(Int)
    case all
  }

  private var segments: [Segment] = []

  /// - Returns: nil if the text is no such path.
  init?(_ text: String) {
    var rest = Substring(text)
    guard rest.popFirst() == "$" else { return nil }
    while let first = rest.popFirst() {
      let segment = first == "." ? Self.shorthand(&rest) : first == "[" ? Self.bracket(&rest) : nil
      guard let segment else { return nil }
      segments.append(segment)
    }
  }

  /// Returns the values that the path selects, with their own paths: elements in their order,
  /// members in that of their names.
  func values(in json: StubJSON) -> [(path: String, value: StubJSON)] {
    segments.reduce([("$", json)]) { values, segment in
      values.flatMap { path, value in
        Self.values(of: segment, in: value).map { (path + $0.step, $0.value) }
      }
    }
  }

  private static func values(
    of segment: Segment, in json: StubJSON
  ) -> [(step: String, value: StubJSON)] {
    switch (segment, json) {
    case (.name(let name), .object(let members)):
      return members.member(exactly: name).map { [(".\(name)", $0)] } ?? []
    case (.index(let index), .array(let elements)):
      let place = index < 0 ? elements.count + index : index
      return elements.indices.contains(place) ? [("[\(place)]", elements[place])] : []
    case (.all, .array(let elements)):
      return elements.enumerated().map { ("[\($0)]", $1) }
    case (.all, .object(let members)):
      return members.sorted { $0.key < $1.key }.map { (".\($0)", $1) }
    default: return []
    }
  }

  /// `name` or `*` behind a dot.
  private static func shorthand(_ rest: inout Substring) -> Segment? {
    let name = rest.prefix { $0 != "." && $0 != "[" }
    rest = rest.dropFirst(name.count)
    return name.isEmpty ? nil : name == "*" ? .all : .name(String(name))
  }

  /// `'name'`, `"name"`, `7`, `-1` or `*` behind a bracket.
  private static func bracket(_ rest: inout Substring) -> Segment? {
    if let quote = rest.first, quote == "'" || quote == "\"" {
      rest.removeFirst()
      return quoted(by: quote, &rest)
    }
    guard let end = rest.firstIndex(of: "]") else { return nil }
    let text = rest[..<end]
    rest = rest[end...].dropFirst()
    return text == "*" ? .all : Int64(text).flatMap { Int(exactly: $0) }.map(Segment.index)
  }

  private static func quoted(by quote: Character, _ rest: inout Substring) -> Segment? {
    var name = ""
    while let character = rest.popFirst() {
      if character == quote { return rest.popFirst() == "]" ? .name(name) : nil }
      guard let next = character == "\\" ? rest.popFirst() : character else { return nil }
      name.append(next)
    }
    return nil
  }
}
