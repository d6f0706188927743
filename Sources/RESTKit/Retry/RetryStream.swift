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
  /// if the verb's modifier sets `Accept-Encoding: identity`. If the first response has a strong
  /// `ETag`, it goes with each `Range` as `If-Range`, unless the request has another one, and each
  /// part must have it. So parts of two versions are never joined.
  ///
  /// - Errors: The last attempt's, with the log of all attempts; the closure's;
  ///   ``TokenSessionError/signedOut``, at once, if the user of the requests signs out in a wait;
  ///   ``RESTError`` of kind `status(200)` for the whole content after a `Range`, which may be
  ///   another version; ``RESTError`` of kind ``RESTError/Kind/malformedResponse`` for a 206 whose
  ///   `Content-Range` is missing or begins elsewhere, or that is of another version.
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
      let origin = Lock(StreamOrigin(isResumable: resume != nil))
      return StreamDelivery(resume: resume, version: { origin.withLock { $0.version } }) { event in
        origin.withLock { $0.length(of: event) }
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
  /// - Errors: The last attempt's, with the log of all attempts; the closure's;
  ///   ``TokenSessionError/signedOut``, at once, if the user of the requests signs out in a wait.
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

/// The origin of the bytes of a stream that may be resumed.
private struct StreamOrigin {
  let isResumable: Bool
  /// Whether the response is a part of the content.
  private var isContent = true
  private var hasBegun = false
  /// The strong entity tag of the first bytes; nil if there is none.
  private(set) var version: String?

  init(isResumable: Bool) {
    self.isResumable = isResumable
  }

  /// Returns the number of bytes that count for the offset; nil if the event is not part of the
  /// content.
  mutating func length(of event: TransferEvent) -> Int64? {
    switch event {
    case .head(let head):
      isContent = !isResumable || 200...299 ~= head.statusCode
      if isContent, !hasBegun { version = head.strongTag }
      return nil
    case .chunk(let chunk):
      guard isContent else { return nil }
      hasBegun = true
      return Int64(chunk.count)
    case .sent: return nil
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
  private let version: @Sendable () -> String?
  private let length: @Sendable (Output) -> Int64?
  private let mark = Lock<Mark?>(nil)

  /// - Parameters:
  ///   - resume: A closure that changes a request so that it resumes the stream; nil if no request
  ///     can.
  ///   - version: A closure that returns the strong entity tag of the stream's first bytes.
  ///   - length: A closure that returns the length of a value, or nil if the value is not part of
  ///     the stream.
  init(
    resume: Resume?, version: @escaping @Sendable () -> String? = { nil },
    length: @escaping @Sendable (Output) -> Int64?
  ) {
    self.resume = resume
    self.version = version
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
  /// - Returns: The part that the closure asks for; nil if the request resumes in another way.
  func prepare(_ request: inout URLRequest) throws -> RangeQuery? {
    guard let resume, let mark = mark.withLock({ $0 }) else { return nil }
    let own = request.value(forHTTPHeaderField: "Range")
    request = try resume(request, mark)
    guard let range = request.value(forHTTPHeaderField: "Range"), range != own else { return nil }
    let version = version()
    if let version { request.setIfAbsent(["If-Range": version]) }
    return RangeQuery(range: range, version: version)
  }
}
