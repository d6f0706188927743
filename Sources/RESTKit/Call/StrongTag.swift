import Foundation

extension ResponseHead {
  /// The strong entity tag of the bytes that the server stores (RFC 9110 §8.8.3); nil if there is
  /// none, or if the body has other bytes.
  var strongTag: String? {
    guard let tag = headers["ETag"], tag.isStrongTag, headers["Content-Encoding"] == nil else {
      return nil
    }
    return tag
  }
}

extension String {
  /// Whether this is one strong entity tag.
  ///
  /// An empty tag cannot distinguish versions.
  var isStrongTag: Bool {
    guard utf8.count > 2, utf8.first == UInt8(ascii: "\""), utf8.last == UInt8(ascii: "\"") else {
      return false
    }
    return utf8.dropFirst().dropLast().allSatisfy {
      $0 > 0x20 && $0 != UInt8(ascii: "\"") && $0 != 0x7F
    }
  }

  /// Whether two entity tags are equal byte for byte.
  func isSameTag(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
