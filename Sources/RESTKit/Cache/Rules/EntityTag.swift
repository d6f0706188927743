/// An entity tag (RFC 9110 §8.8.3).
///
/// A tag without quotes is no tag by the grammar. It is taken by its letters all the same, since
/// servers that send such compare it so.
struct EntityTag: Hashable, Sendable {
  /// The tag as it was sent.
  let text: String
  let isWeak: Bool
  /// Whether it is what the grammar has, so that it can stand in a list.
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

  /// Whether both mean the same, be it not byte for byte (RFC 9110 §8.8.3.2).
  func isWeaklyEqual(to other: EntityTag) -> Bool { opaque == other.opaque }

  /// Whether both mean the same bytes.
  func isStronglyEqual(to other: EntityTag) -> Bool {
    !isWeak && !other.isWeak && opaque == other.opaque
  }

  /// The tags of `If-None-Match`; nil for `*`, which any answer matches.
  static func list(_ text: String) -> [EntityTag]? {
    guard Substring(text).trimmingBlanks != "*" else { return nil }
    return FieldMembers.split(text, hasEscapes: false).map { EntityTag(String($0)) }
  }
}
