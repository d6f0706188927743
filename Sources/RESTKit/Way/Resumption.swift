import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What a stream does if the rest of its content is that of another version: the file was replaced,
/// as a log is when it is rotated.
public enum ReplacedContent: Sendable, Hashable {
  /// The stream fails with a ``RESTError`` whose ``RESTError/underlyingError`` is a
  /// ``ContentReplacedError``.
  case fail
  /// The stream goes on with the first byte of the new version.
  ///
  /// The bytes of the old version behind the last delivered one are lost. `lines`, `decodeLines`
  /// and `serverSentEvents` drop an incomplete line of the old version and begin anew.
  case beginAgain
}

/// How a stream of bytes recognizes another version of its content when it goes on.
public enum ContentVersion: Sendable, Hashable {
  /// By the strong `ETag` of the response with the first byte (RFC 9110 §8.8.3).
  ///
  /// Each `Range` carries it as `If-Range`, and each part must have it. Without a strong `ETag`,
  /// only the length counts.
  case entityTag
  /// By the length alone: content that is shorter than the delivered part is another version.
  ///
  /// It is for a file that grows, on a server whose `ETag` changes with each growth: file servers
  /// make it from the time and the length. A file that was replaced, and is already as long as the
  /// old one, is not recognized. An `If-Range` that the closure sets is sent, and a strong one is
  /// compared with each part.
  case length
}

/// The content of a stream is another version than the one whose bytes were delivered.
///
/// It is the ``RESTError/underlyingError`` of the ``RESTError`` with which a stream of
/// `retry(_:resume:)` or `follow(_:resume:)` fails. The error has the head of the response.
public struct ContentReplacedError: Error, Sendable, Hashable {
  /// The number of bytes of the old version before the part that the request asked for.
  public let offset: Int64

  init(offset: Int64) {
    self.offset = offset
  }
}

/// A change of a request after the user's modifiers, so that a stream or a file goes on.
///
/// - Returns: The place at which it goes on; nil if it does so in another way.
typealias RequestPreparer = @Sendable (inout URLRequest) throws -> Resumption?

/// The place at which a stream goes on.
enum Resumption: Equatable {
  case part(RangeQuery)
  /// The first byte, since the content was replaced.
  case beginning
}

/// The part that a request asks for, so that a stream goes on.
struct RangeQuery: Equatable {
  /// The value of `Range`.
  let range: String
  /// The strong entity tag that the part must have; nil if there is none.
  let version: String?
  /// The value of `If-Range`; nil if there is none.
  let condition: String?
  /// What another version means.
  let replaced: ReplacedContent

  /// - Parameters:
  ///   - version: The strong entity tag of the bytes before the part; nil if there is none.
  ///   - condition: The value of `If-Range`; nil if there is none.
  init(
    range: String, version: String? = nil, condition: String? = nil,
    replaced: ReplacedContent = .fail
  ) {
    self.range = range
    self.version = version ?? condition.flatMap { $0.isStrongTag ? $0 : nil }
    self.condition = condition
    self.replaced = replaced
  }

  /// The first requested byte; nil if the range is not an open or closed range of bytes with a
  /// start.
  var first: Int64? {
    guard range.prefix(6).lowercased() == "bytes=", !range.contains(",") else { return nil }
    return range.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false).first
      .flatMap { $0.isEmpty ? nil : Int64(digits: $0) }
  }
}
