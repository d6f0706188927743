/// An entity tag (RFC 9110 §8.8.3).
///
/// The grammar does not allow a tag without quotes. Such a tag is compared by its characters, because
/// servers that send it do the same.
struct EntityTag: Hashable, Sendable {
  /// The tag as it was sent.
  let text: String
  let isWeak: Bool
  /// Whether the tag conforms to the grammar, so that it can be part of a list.
  let isValid: Bool
  private let opaque: Substring

  init(_ text: String) {
    self.text = text
    let isWeak = text.utf8.starts(with: "W/\"".utf8)
    self.isWeak = isWeak
    opaque = isWeak ? Substring(text.utf8.dropFirst(2)) : Substring(text)
    let inner = opaque.utf8
    isValid =
      inner.count >= 2 && inner.first == UInt8(ascii: "\"") && inner.last == UInt8(ascii: "\"")
      && !inner.dropFirst().dropLast().contains(UInt8(ascii: "\""))
  }

  /// Whether both tags mean the same, perhaps not byte for byte (RFC 9110 §8.8.3.2).
  func isWeaklyEqual(to other: EntityTag) -> Bool { opaque == other.opaque }

  /// Whether both tags mean the same bytes.
  func isStronglyEqual(to other: EntityTag) -> Bool {
    !isWeak && !other.isWeak && opaque == other.opaque
  }

  /// Returns the tags of `If-None-Match`; nil for `*`, which any response matches.
  static func list(_ text: String) -> [EntityTag]? {
    guard Substring(text).trimmingBlanks != "*" else { return nil }
    return FieldMembers.split(text, hasEscapes: false).map { EntityTag(String($0)) }
  }
}
