import Foundation
import Streams

/// The part of a file that a 206 contains (RFC 9110 §14.4).
struct ContentRange: Equatable {
  let first: Int64
  let last: Int64
  /// The length of the whole file; nil if the server does not know it.
  let total: Int64?

  /// - Parameter field: A value such as `bytes 100-199/1000`.
  /// - Returns: nil for any other value.
  init?(_ field: String) {
    guard field.prefix(6).lowercased() == "bytes " else { return nil }
    let halves = field.dropFirst(6).split(separator: "/", omittingEmptySubsequences: false)
    guard halves.count == 2 else { return nil }
    let ends = halves[0].split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, let first = Int64(digits: ends[0]), let last = Int64(digits: ends[1]),
      first <= last
    else { return nil }
    self.first = first
    self.last = last
    if halves[1] == "*" {
      total = nil
    } else {
      guard let number = Int64(digits: halves[1]), number > last else { return nil }
      total = number
    }
  }

  /// Returns the length of a file from the `Content-Range` of a 416, such as `bytes */1000`.
  ///
  /// It is nil for any other value.
  static func length(unsatisfied field: String) -> Int64? {
    guard field.prefix(8).lowercased() == "bytes */" else { return nil }
    return Int64(digits: field.dropFirst(8))
  }

  /// Creates the range of a 206 that contains the missing part of a file.
  ///
  /// Parts are combined only if they have the same strong validator (RFC 9110 §15.3.7.3). A 206 has
  /// the `ETag` that a 200 would have (§15.3.7), also as a response to `If-Range`. A 206 without
  /// `ETag` is not used.
  ///
  /// - Parameters:
  ///   - size: The number of bytes of the part, and so the position of the first missing byte.
  ///   - note: The origin of the bytes; nil if there were none and the whole file was requested.
  init(
    of head: ResponseHead, behind size: Int64, of note: PartialFileNote?
  ) throws(PartialFileMismatch) {
    guard let note else { throw .unasked }
    let type = head.headers["Content-Type"] ?? ""
    guard !type.lowercased().hasPrefix("multipart/byteranges") else { throw .severalParts }
    guard head.headers["Content-Encoding"] == nil else { throw .encoded }
    guard let tag = head.headers["ETag"] else { throw .noVersion }
    guard note.isOf(version: tag) else { throw .otherVersion }
    guard let range = ContentRange(head.headers["Content-Range"] ?? ""), range.first == size else {
      throw .otherRange
    }
    guard let total = range.total ?? note.total else { throw .noTotal }
    guard total == note.total ?? total, range.last < total else { throw .otherTotal }
    guard head.contentLength ?? range.count == range.count else { throw .otherLength }
    self = range
  }

  var count: Int64 { last - first + 1 }

  /// Whether a 200 or another response than a 206 has all of the content.
  ///
  /// The field has no meaning there (RFC 9110 §14.4), but a server that sends it has often sent a
  /// part only: curl and wget append such a part. So only the range of all bytes is the whole.
  static func isOfWhole(_ head: ResponseHead) -> Bool {
    guard let field = head.headers["Content-Range"] else { return true }
    if let length = length(unsatisfied: field) { return length == head.contentLength }
    guard let range = ContentRange(field) else { return false }
    return range.first == 0 && range.count == range.total
      && head.contentLength ?? range.count == range.count
  }
}
