import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension Publisher where Output == TransferEvent, Failure == any Error {
  /// Requests a response in pieces again, according to a policy, if no chunk of its body was
  /// delivered.
  ///
  /// A response with a transient status is delivered only after the last attempt. A stream that
  /// breaks after its first chunk fails, because a new request would deliver the same bytes again.
  /// Its log has this reason. `retry(_:resume:)` resumes such a stream.
  ///
  /// The policy's times do not cut an attempt off: ``RetryPolicy/totalTime`` limits the time in
  /// which retries may begin. A second head may arrive if the first response broke before its first
  /// chunk.
  ///
  /// - Parameter policy: The rules for the repetitions, their number and the waits between them.
  public func retry(_ policy: RetryPolicy) -> AnyPublisher<TransferEvent, any Error> {
    retryingPieces(policy, resume: nil)
  }

  /// Requests a response in pieces again, according to a policy, from the byte at which it broke.
  ///
  /// ```swift
  /// api.events(endpoint: "log")
  ///   .retry(policy) { request, offset in request.settingHeader("Range", to: "bytes=\(offset)-") }
  /// ```
  ///
  /// Each chunk of a response with a status of 200...299 resets the policy's count of attempts, its
  /// times and its budget. Each subscription has a budget of its own, with the rules of the
  /// policy's, so that a stream takes nothing from the calls. The head of each response is
  /// delivered. The closure runs for each request after the first chunk, after the verb's own
  /// modifiers. If the closure adds a `Range`, the response has to be that part: the whole content
  /// would deliver bytes twice. If the closure resumes in another way, check the head yourself.
  ///
  /// A `Range` counts the bytes that the server stores. They are the bytes of the decoded body only
  /// if the verb's modifier sets `Accept-Encoding: identity`. An `If-Range` keeps two versions
  /// apart.
  ///
  /// - Errors: The last attempt's, with the log of all attempts; the closure's; ``RESTError`` of
  ///   kind `status(200)` for the whole content after a `Range`; ``RESTError`` of kind
  ///   ``RESTError/Kind/malformedResponse`` for a 206 whose `Content-Range` is missing or begins
  ///   elsewhere.
  /// - Parameters:
  ///   - policy: The rules for the repetitions, their number and the waits between them.
  ///   - resume: A closure that makes the request for the content after a number of bytes of the
  ///     decoded body.
  public func retry(
    _ policy: RetryPolicy,
    resume: @escaping @Sendable (_ request: URLRequest, _ offset: Int64) throws -> URLRequest
  ) -> AnyPublisher<TransferEvent, any Error> {
    retryingPieces(policy) { try resume($0, $1.length) }
  }

  private func retryingPieces(
    _ policy: RetryPolicy, resume: StreamDelivery<TransferEvent>.Resume?
  ) -> AnyPublisher<TransferEvent, any Error> {
    retrying(policy, isTimed: false) {
      // The bytes of another response than the content do not count for the offset.
      let isContent = Lock(true)
      return StreamDelivery(resume: resume) { event in
        switch event {
        case .head(let head):
          isContent.withLock { $0 = resume == nil || 200...299 ~= head.statusCode }
          return nil
        case .chunk(let chunk): return isContent.withLock { $0 } ? Int64(chunk.count) : nil
        case .sent: return nil
        }
      }
    } outcome: { event, now in
      guard case .head(let head) = event else { return nil }
      return .status(head.statusCode, retryAfter: head.headers.retryAfter(now: now()))
    }
  }
}

extension Publisher where Output: Sendable, Failure == any Error {
  /// Requests a stream again, according to a policy, from the value at which it broke.
  ///
  /// ```swift
  /// api.events(endpoint: "log").decodeLines(of: Entry.self)
  ///   .retry(policy) { request, last in request.settingHeader("After", to: "\(last.number)") }
  /// ```
  ///
  /// Each delivered value resets the policy's count of attempts, its times and its budget. Each
  /// subscription has a budget of its own, with the rules of the policy's, so that a stream takes
  /// nothing from the calls. The end of a response finishes the stream. The closure runs for each
  /// request after the first value, after the verb's own modifiers, on the thread that sends the
  /// request.
  ///
  /// - Errors: The last attempt's, with the log of all attempts; the closure's.
  /// - Parameters:
  ///   - policy: The rules for the repetitions, their number and the waits between them.
  ///   - resume: A closure that makes the request for the values after the last delivered one.
  @_disfavoredOverload
  public func retry(
    _ policy: RetryPolicy,
    resume: @escaping @Sendable (_ request: URLRequest, _ last: Output) throws -> URLRequest
  ) -> AnyPublisher<Output, any Error> {
    retrying(policy, isTimed: false) {
      StreamDelivery(resume: { try resume($0, $1.last) }, length: { _ in 0 })
    } outcome: { _, _ in
      nil
    }
  }
}

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
  ///   - resume: A closure that changes a request so that it resumes the stream; nil if no request
  ///     can.
  ///   - length: A closure that returns the length of a value, or nil if the value is not part of
  ///     the stream.
  init(resume: Resume?, length: @escaping @Sendable (Output) -> Int64?) {
    self.resume = resume
    self.length = length
  }

  /// Whether there is a rule to resume the stream.
  var isResumable: Bool { resume != nil }

  /// Whether another request delivers no value twice.
  var canGoOn: Bool { isResumable || mark.withLock { $0 == nil } }

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
