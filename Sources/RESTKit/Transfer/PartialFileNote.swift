import Foundation

/// What has to be known of a part of a file to go on with it: of what it is a part.
struct PartialFileNote: Codable, Equatable {
  /// Where it came from, without the query.
  let location: String
  /// The strong entity tag of the whole (RFC 9110 §8.8.3); nothing less vouches for single bytes.
  let entityTag: String

  /// - Returns: nil where the response gives no right to resume.
  init?(of head: ResponseHead, location: String) {
    guard let tag = head.headers["ETag"], tag.hasPrefix("\""), tag.count > 2,
      head.headers["Content-Encoding"] == nil
    else { return nil }
    self.location = location
    entityTag = tag
  }
}
