import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension Publisher where Output == TransferEvent, Failure == any Error {
  /// Asks for a response in pieces again, as a policy says, while nothing of its body was delivered.
  ///
  /// An answer whose status means "not now" is never delivered while there is another attempt. A stream that
  /// breaks behind its first chunk fails, and its log says why it was not asked for again: what was delivered
  /// would come twice. `retry(_:resume:)` goes on from there.
  ///
  /// The times of the policy cut no attempt: ``RetryPolicy/totalTime`` is how long retries may begin for.
  /// A head may come twice, where the first answer broke before its first chunk.
  ///
  /// - Parameter policy: What is tried again, how often, and after which wait.
  public func retry(_ policy: RetryPolicy) -> AnyPublisher<TransferEvent, any Error> {
    retryingPieces(policy, resume: nil)
  }

  /// Asks for a response in pieces again, as a policy says, from the byte at which it broke.
  ///
  /// ```swift
  /// api.events(endpoint: "log")
  ///   .retry(policy) { request, offset in request.settingHeader("Range", to: "bytes=\(offset)-") }
  /// ```
  ///
  /// Each chunk of an answer whose status is 200...299 counts, and puts the policy's count of attempts and its
  /// times back. The head of each answer comes. The closure runs for each request but those before the first
  /// chunk, behind the verb's own modifiers. Where it gives the request a `Range`, the answer has to be that
  /// part: a server that sends all of it instead would bring bytes twice. Where it goes on in another way, look
  /// at the head.
  ///
  /// A `Range` counts the bytes that a server stores, which are those of the decoded body only where the
  /// verb's modifier asks for `Accept-Encoding: identity`; an `If-Range` keeps two versions apart.
  ///
  /// - Errors: The last attempt's, with the log of all; what the closure throws; ``RESTError`` of kind
  ///   `status(200)` for a whole answer where a `Range` was asked for, of kind
  ///   ``RESTError/Kind/malformedResponse`` for a 206 whose `Content-Range` is missing or begins elsewhere.
  /// - Parameters:
  ///   - policy: What is tried again, how often, and after which wait.
  ///   - resume: Makes the request of what follows so many bytes of the decoded body.
  public func retry(
    _ policy: RetryPolicy,
    resume: @escaping @Sendable (_ request: URLRequest, _ offset: Int) throws -> URLRequest
  ) -> AnyPublisher<TransferEvent, any Error> {
    retryingPieces(policy) { try resume($0, $1.length) }
  }

  private func retryingPieces(
    _ policy: RetryPolicy, resume: StreamDelivery<TransferEvent>.Resume?
  ) -> AnyPublisher<TransferEvent, any Error> {
    retrying(policy, isTimed: false) {
      // Of an answer that is none of the content, no byte counts where one goes on.
      let isContent = Lock(true)
      return StreamDelivery(resume: resume) { event in
        switch event {
        case .head(let head):
          isContent.withLock { $0 = resume == nil || 200...299 ~= head.statusCode }
          return nil
        case .chunk(let chunk): return isContent.withLock { $0 } ? chunk.count : nil
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
  /// Asks for a stream again, as a policy says, from where it broke.
  ///
  /// ```swift
  /// api.events(endpoint: "log").decodeLines(of: Entry.self)
  ///   .retry(policy) { request, last in request.settingHeader("After", to: "\(last.number)") }
  /// ```
  ///
  /// Each value that is delivered puts the policy's count of attempts and its times back. The end of an
  /// answer finishes the stream. The closure runs for each request but those before the first value, behind
  /// the verb's own modifiers, where the request is sent.
  ///
  /// - Errors: The last attempt's, with the log of all; what the closure throws.
  /// - Parameters:
  ///   - policy: What is tried again, how often, and after which wait.
  ///   - resume: Makes the request of what follows the value that was delivered last.
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
