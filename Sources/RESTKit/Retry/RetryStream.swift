import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension Publisher where Output == TransferEvent, Failure == any Error {
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
  /// part must have it. So parts of two versions are never joined. A 416 whose `Content-Range` says
  /// that the content ends at the place finishes the stream.
  ///
  /// - Errors: The last attempt's, with the log of all attempts; the closure's;
  ///   ``TokenSessionError/signedOut``, at once, if the user of the requests signs out in a wait;
  ///   ``RESTError`` of kind `status(200)` for the whole content after a `Range`; ``RESTError`` of
  ///   kind ``RESTError/Kind/malformedResponse`` for a 206 whose `Content-Range` is missing or
  ///   begins elsewhere, or that is of another version. With ``ReplacedContent/fail``, the
  ///   ``RESTError/underlyingError`` is a ``ContentReplacedError`` if the content is another
  ///   version: after an `If-Range` that does not hold, a part with another `ETag`, or a 416 that
  ///   says that the content is shorter.
  /// - Parameters:
  ///   - policy: The rules for the repetitions, their number and the waits between them.
  ///   - version: How the stream recognizes another version of its content.
  ///   - replaced: What the stream does then. To begin again is an attempt, with its wait, unless
  ///     the response already is the new content.
  ///   - resume: A closure that makes the request for the content after a number of bytes of the
  ///     decoded body.
  public func retry(
    _ policy: RetryPolicy, version: ContentVersion = .entityTag,
    ifReplaced replaced: ReplacedContent = .fail,
    resume: @escaping @Sendable (_ request: URLRequest, _ offset: Int64) throws -> URLRequest
  ) -> AnyPublisher<TransferEvent, any Error> {
    retryingPieces(policy, version, replaced) { try resume($0, $1.length) }
  }

  /// Requests a response in pieces again, according to a policy, from the byte at which it broke,
  /// with a closure that sees the head.
  ///
  /// It works as `retry(_:resume:)` with a closure without a head.
  ///
  /// - Parameters:
  ///   - policy: The rules for the repetitions, their number and the waits between them.
  ///   - version: How the stream recognizes another version of its content.
  ///   - replaced: What the stream does then.
  ///   - resume: A closure that makes the request for the content after a number of bytes of the
  ///     decoded body. It also receives the head of the response that brought the last of them.
  public func retry(
    _ policy: RetryPolicy, version: ContentVersion = .entityTag,
    ifReplaced replaced: ReplacedContent = .fail,
    resume:
      @escaping @Sendable (_ request: URLRequest, _ offset: Int64, _ head: ResponseHead) throws ->
      URLRequest
  ) -> AnyPublisher<TransferEvent, any Error> {
    retryingPieces(policy, version, replaced) { try resume($0, $1.length, $1.requireHead()) }
  }

  private func retryingPieces(
    _ policy: RetryPolicy, _ version: ContentVersion, _ replaced: ReplacedContent,
    resume: @escaping StreamDelivery<TransferEvent>.Resume
  ) -> AnyPublisher<TransferEvent, any Error> {
    retrying(policy, isTimed: false) {
      StreamDelivery(ofBytes: resume, version: version, replaced: replaced)
    } outcome: { event, now in
      event.outcome(now: now)
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
    retryingValues(policy) { try resume($0, $1.last) }
  }

  /// Requests a stream again, according to a policy, from the value at which it broke, with a
  /// closure that sees the head.
  ///
  /// It works as `retry(_:resume:)` with a closure without a head.
  ///
  /// - Parameters:
  ///   - policy: The rules for the repetitions, their number and the waits between them.
  ///   - resume: A closure that makes the request for the values after the last delivered one. It
  ///     also receives the head of the response that brought this value.
  @_disfavoredOverload
  public func retry(
    _ policy: RetryPolicy,
    resume:
      @escaping @Sendable (_ request: URLRequest, _ last: Output, _ head: ResponseHead) throws ->
      URLRequest
  ) -> AnyPublisher<Output, any Error> {
    retryingValues(policy) { try resume($0, $1.last, $1.requireHead()) }
  }

  private func retryingValues(
    _ policy: RetryPolicy, resume: @escaping StreamDelivery<Output>.Resume
  ) -> AnyPublisher<Output, any Error> {
    retrying(
      policy, isTimed: false, delivery: { StreamDelivery(resume: resume, length: { _ in 0 }) })
  }
}
