import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A record of a stream's delivered values, which lets the next request resume the stream.
final class StreamDelivery<Output: Sendable>: Sendable {
  /// The delivered part of a stream.
  struct Mark: Sendable {
    var last: Output
    /// The total length of the delivered values.
    var length: Int64
  }

  typealias Resume = @Sendable (URLRequest, Mark) throws -> URLRequest

  private let resume: Resume?
  private let length: @Sendable (Output) -> Int64?
  private let mark = Lock<Mark?>(nil)

  /// - Parameters:
  ///   - resume: A closure that changes a request so that it resumes the stream; nil if no request can.
  ///   - length: A closure that returns the length of a value, or nil if the value is not part of the
  ///     stream.
  init(resume: Resume?, length: @escaping @Sendable (Output) -> Int64?) {
    self.resume = resume
    self.length = length
  }

  /// Whether another request delivers no value twice.
  var canGoOn: Bool { resume != nil || mark.withLock { $0 == nil } }

  /// Records a delivered value.
  ///
  /// - Returns: Whether the value is part of the stream.
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

  /// Changes a request so that it resumes the stream.
  ///
  /// - Returns: The `Range` that the closure added; nil if the request resumes in another way.
  func prepare(_ request: inout URLRequest) throws -> String? {
    guard let resume, let mark = mark.withLock({ $0 }) else { return nil }
    let own = request.value(forHTTPHeaderField: "Range")
    request = try resume(request, mark)
    let range = request.value(forHTTPHeaderField: "Range")
    return range == own ? nil : range
  }
}
