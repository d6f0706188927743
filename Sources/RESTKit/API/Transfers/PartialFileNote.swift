import Foundation

/// The origin of a part of a file, which a download needs to resume it.
struct PartialFileNote: Codable, Equatable {
  /// The URL of the file, without the query.
  let location: String
  /// The strong entity tag of the whole file (RFC 9110 §8.8.3).
  ///
  /// Only a strong tag identifies single bytes.
  let entityTag: String
  /// The length of the whole file, as it was first given; nil if it is unknown so far.
  var total: Int64?

  /// - Returns: nil if the response does not allow a resumption.
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

  /// Whether a text is one strong entity tag.
  ///
  /// An empty tag cannot distinguish versions.
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
  /// The value of `Content-Length`; nil if it is missing or not a number.
  var contentLength: Int64? {
    // The transport checks that several lines give one length.
    headers.values(for: "Content-Length").first?.split(separator: ",").first
      .flatMap { Int64(digits: $0.trimmingBlanks) }
  }

  /// Whether the body ends with the connection, so that a cut looks like an end.
  var endsWithConnection: Bool {
    contentLength == nil && headers["Transfer-Encoding"] == nil
      && (httpVersion.isEmpty || httpVersion.hasPrefix("HTTP/1"))
  }
}
