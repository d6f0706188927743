/// A text that equals another one only byte by byte, as the two are sent.
///
/// Two values of `String` are equal if they look the same. A composed and a decomposed `é` are
/// other bytes, and may be the secrets of two users.
package struct ExactText: Hashable, Sendable {
  package let text: String

  package init(_ text: String) {
    self.text = text
  }

  package static func == (one: Self, other: Self) -> Bool { one.text.isExactly(other.text) }

  package func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    // No byte of UTF-8 has this value, so texts in a row are not one text.
    hasher.combine(0xFF as UInt8)
  }
}

extension StringProtocol {
  /// Whether two texts are the same bytes.
  package func isExactly(_ other: some StringProtocol) -> Bool {
    utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8)
  }
}
