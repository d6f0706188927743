import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension Publisher where Output == TransferEvent, Failure == any Error {
  /// Requests a response in pieces again each time it ends or breaks, from the byte behind the last
  /// one: the tail of a file that grows.
  ///
  /// ```swift
  /// api.events(endpoint: "log")
  ///   .follow { request, offset in request.settingHeader("Range", to: "bytes=\(offset)-") }
  ///   .validateStatus()
  ///   .lines()
  /// ```
  ///
  /// It is `retry(_:resume:)` that does not stop at the end of a response. The closure, the
  /// versions and their errors are the same. A 416 whose `Content-Range` says that the content ends
  /// at the place, `bytes */N` for the offset N, means that there is nothing new yet. It is not
  /// delivered.
  ///
  /// After each response there is a wait as between the connections of a live stream: the policy's
  /// ``ReconnectPolicy/delay`` and a random time, which grows up to ``ReconnectPolicy/maxDelay``
  /// with each response in a row that brings no byte. ``ReconnectPolicy/maxFailures`` limits the
  /// number of these. A status that the policy calls transient is not delivered, and a wait
  /// follows, longer after a `Retry-After`. A response with another status outside of 200...299 is
  /// delivered, and its end finishes the stream. So does the end of a response to a request whose
  /// method may not be repeated.
  ///
  /// - Demand: The downstream's. While there is no demand, the transport stops reading, if it can.
  ///   The pauses and the requests after them do not wait for demand. With unlimited demand, what
  ///   arrives while the subscriber is busy is kept.
  /// - Errors: The last attempt's, with the log of all attempts, if the policy allows no other; the
  ///   closure's; those of `retry(_:resume:)` for a response that begins elsewhere or is of another
  ///   version.
  /// - Completion: When the policy allows no further request after the end of a response.
  /// - Cancellation: Ends the exchange, or the wait for the next one, at once.
  /// - Delivery: On the scheduler of the policy's ``ReconnectPolicy/retry``, or on the thread that
  ///   adds demand.
  ///
  /// - Parameters:
  ///   - policy: The policy that decides when the request is sent again. Without a
  ///     ``ReconnectPolicy/retry``, a default policy without a budget decides what is transient.
  ///   - version: How the stream recognizes another version of its content.
  ///   - replaced: What the stream does then. To begin again takes a wait, unless the response
  ///     already is the new content.
  ///   - resume: A closure that makes the request for the content after a number of bytes of the
  ///     decoded body.
  public func follow(
    _ policy: ReconnectPolicy = ReconnectPolicy(), version: ContentVersion = .entityTag,
    ifReplaced replaced: ReplacedContent = .fail,
    resume: @escaping @Sendable (_ request: URLRequest, _ offset: Int64) throws -> URLRequest
  ) -> AnyPublisher<TransferEvent, any Error> {
    following(policy, version, replaced) { try resume($0, $1.length) }
  }

  /// Requests a response in pieces again each time it ends or breaks, from the byte behind the last
  /// one, with a closure that sees the head.
  ///
  /// It works as `follow(_:resume:)` with a closure without a head.
  ///
  /// - Parameters:
  ///   - policy: The policy that decides when the request is sent again.
  ///   - version: How the stream recognizes another version of its content.
  ///   - replaced: What the stream does then.
  ///   - resume: A closure that makes the request for the content after a number of bytes of the
  ///     decoded body. It also receives the head of the response that brought the last of them.
  public func follow(
    _ policy: ReconnectPolicy = ReconnectPolicy(), version: ContentVersion = .entityTag,
    ifReplaced replaced: ReplacedContent = .fail,
    resume:
      @escaping @Sendable (_ request: URLRequest, _ offset: Int64, _ head: ResponseHead) throws ->
      URLRequest
  ) -> AnyPublisher<TransferEvent, any Error> {
    following(policy, version, replaced) { try resume($0, $1.length, $1.requireHead()) }
  }

  private func following(
    _ policy: ReconnectPolicy, _ version: ContentVersion, _ replaced: ReplacedContent,
    resume: @escaping StreamDelivery<TransferEvent>.Resume
  ) -> AnyPublisher<TransferEvent, any Error> {
    FollowedStream.publisher(of: eraseToAnyPublisher(), policy) {
      StreamDelivery(ofBytes: resume, version: version, replaced: replaced)
    } head: { event in
      if case .head(let head) = event { head } else { nil }
    }
  }
}

extension Publisher where Output: Sendable, Failure == any Error {
  /// Requests a stream again each time it ends or breaks, from the value behind the last one: a
  /// watch whose server ends the response every few minutes.
  ///
  /// ```swift
  /// api.events(endpoint: "pods", query: ["watch": "1"]).decodeLines(of: Change.self)
  ///   .follow { request, last in request.settingHeader("After", to: last.version) }
  /// ```
  ///
  /// It is `retry(_:resume:)` that does not stop at the end of a response. After each response
  /// there is a wait as between the connections of a live stream: the policy's
  /// ``ReconnectPolicy/delay`` and a random time, which grows up to ``ReconnectPolicy/maxDelay``
  /// with each response in a row that brings no value. ``ReconnectPolicy/maxFailures`` limits the
  /// number of these. The end of a response to a request whose method may not be repeated finishes
  /// the stream.
  ///
  /// - Demand: The downstream's. While there is no demand, the transport stops reading, if it can.
  ///   The pauses and the requests after them do not wait for demand. With unlimited demand, what
  ///   arrives while the subscriber is busy is kept.
  /// - Errors: The last attempt's, with the log of all attempts, if it is not transient or the
  ///   policy allows no other; the closure's.
  /// - Completion: When the policy allows no further request after the end of a response.
  /// - Cancellation: Ends the exchange, or the wait for the next one, at once.
  /// - Delivery: On the scheduler of the policy's ``ReconnectPolicy/retry``, or on the thread that
  ///   adds demand.
  ///
  /// - Parameters:
  ///   - policy: The policy that decides when the request is sent again. Without a
  ///     ``ReconnectPolicy/retry``, a default policy without a budget decides what is transient.
  ///   - resume: A closure that makes the request for the values after the last delivered one. It
  ///     runs for each request after the first value, after the verb's own modifiers.
  @_disfavoredOverload
  public func follow(
    _ policy: ReconnectPolicy = ReconnectPolicy(),
    resume: @escaping @Sendable (_ request: URLRequest, _ last: Output) throws -> URLRequest
  ) -> AnyPublisher<Output, any Error> {
    following(policy) { try resume($0, $1.last) }
  }

  /// Requests a stream again each time it ends or breaks, from the value behind the last one, with
  /// a closure that sees the head.
  ///
  /// It works as `follow(_:resume:)` with a closure without a head.
  ///
  /// - Parameters:
  ///   - policy: The policy that decides when the request is sent again.
  ///   - resume: A closure that makes the request for the values after the last delivered one. It
  ///     also receives the head of the response that brought this value.
  @_disfavoredOverload
  public func follow(
    _ policy: ReconnectPolicy = ReconnectPolicy(),
    resume:
      @escaping @Sendable (_ request: URLRequest, _ last: Output, _ head: ResponseHead) throws ->
      URLRequest
  ) -> AnyPublisher<Output, any Error> {
    following(policy) { try resume($0, $1.last, $1.requireHead()) }
  }

  private func following(
    _ policy: ReconnectPolicy, resume: @escaping StreamDelivery<Output>.Resume
  ) -> AnyPublisher<Output, any Error> {
    FollowedStream.publisher(of: eraseToAnyPublisher(), policy) {
      StreamDelivery(resume: resume, length: { _ in 0 })
    } head: { _ in
      nil
    }
  }
}
