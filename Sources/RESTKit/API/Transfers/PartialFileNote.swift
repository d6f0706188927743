import Foundation

/// What has to be known of a part of a file to go on with it: of what it is a part.
struct PartialFileNote: Codable, Equatable {
  /// Where it came from, without the query.
  let location: String
  /// The strong entity tag of the whole (RFC 9110 §8.8.3); nothing less vouches for single bytes.
  let entityTag: String
  /// The length of the whole, as it was said first; nil where nobody said it yet.
  var total: Int64?

  /// - Returns: nil where the response gives no right to resume.
  init?(of head: ResponseHead, location: String) {
    guard let tag = head.headers["ETag"], Self.isStrong(tag),
      head.headers["Content-Encoding"] == nil
    else { return nil }
    self.location = location
    entityTag = tag
    total = head.contentLength
  }

  func with(total: Int64?) -> PartialFileNote {
    var note = self
    note.total = total
    return note
  }

  /// Whether a text is one entity tag, and a strong one; an empty one tells no versions apart.
  private static func isStrong(_ tag: String) -> Bool {
    let bytes = tag.utf8
    guard bytes.count > 2, bytes.first == UInt8(ascii: "\""), bytes.last == UInt8(ascii: "\"")
    else {
      return false
    }
    return bytes.dropFirst().dropLast().allSatisfy {
      $0 > 0x20 && $0 != UInt8(ascii: "\"") && $0 != 0x7F
    }
  }
}

extension ResponseHead {
  /// What `Content-Length` says; nil without one that is a number.
  var contentLength: Int64? {
    // Several lines are one length, which the transport sees to.
    headers.values(for: "Content-Length").first?.split(separator: ",").first
      .flatMap { Int64($0.trimmingCharacters(in: .whitespaces)) }
  }

  /// Whether the end of the body is that of the connection, so that a cut looks like an end.
  var endsWithConnection: Bool {
    contentLength == nil && headers["Transfer-Encoding"] == nil
      && (httpVersion.isEmpty || httpVersion.hasPrefix("HTTP/1"))
  }
}
