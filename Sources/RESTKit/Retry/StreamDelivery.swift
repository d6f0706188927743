import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Knows what was delivered of a stream, and lets the next request go on from there.
final class StreamDelivery<Output: Sendable>: RequestResumption {
  /// How far a stream was delivered.
  struct Mark: Sendable {
    var last: Output
    /// The length of all that came.
    var length: Int
  }

  typealias Resume = @Sendable (URLRequest, Mark) throws -> URLRequest

  private let resume: Resume?
  private let length: @Sendable (Output) -> Int?
  private let mark = Lock<Mark?>(nil)
  private let asked = Lock<String?>(nil)

  /// - Parameters:
  ///   - resume: Lets a request go on from what was delivered; nil where nobody can.
  ///   - length: How long a value is; nil where it is no part of the stream.
  init(resume: Resume?, length: @escaping @Sendable (Output) -> Int?) {
    self.resume = resume
    self.length = length
  }

  /// Whether another request does not bring twice what was delivered.
  var canGoOn: Bool { resume != nil || mark.withLock { $0 == nil } }

  /// Notes a value that is delivered.
  ///
  /// - Returns: Whether it is a part of the stream.
  func note(_ output: Output) -> Bool {
    guard let length = length(output) else { return false }
    // A user's value is released without the lock.
    let released = mark.withLock { mark in
      defer { mark = Mark(last: output, length: (mark?.length ?? 0) + length) }
      return mark
    }
    withExtendedLifetime(released) {}
    return true
  }

  func prepare(
    _ request: inout URLRequest, ofAPIAt api: String
  ) throws {
    guard let resume, let mark = mark.withLock({ $0 }) else { return }
    let own = request.value(forHTTPHeaderField: "Range")
    request = try resume(request, mark)
    let range = request.value(forHTTPHeaderField: "Range")
    asked.withLock { $0 = range == own ? nil : range }
  }

  var range: String? { asked.withLock { $0 } }
}
