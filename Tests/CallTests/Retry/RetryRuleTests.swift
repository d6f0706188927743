import Fixtures
import Foundation
import Streams
import StreamsTesting
import Testing

@testable import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("The rule for the step after an attempt")
struct RetryRuleTests {
  /// The rule's word on the first attempt of a request, unless said otherwise.
  private func decision(
    on outcome: AttemptOutcome, of exchanges: [SentRequest], attempts: Int = 1,
    elapsed: Duration = .zero, policy: RetryPolicy = RetryPolicy(totalTime: nil)
  ) -> RepeatStep {
    if case .fault(_, mayHaveBeenProcessed: false, _) = outcome {
      exchanges.last?.noteNeverArrived()
    }
    var generator = TopGenerator()
    return RetryRule(policy: policy).decision(
      on: outcome, of: SentRequests(exchanges), attempts: attempts, elapsed: elapsed,
      using: &generator)
  }

  private func sent(
    _ method: HTTPMethod = .get, key: String? = nil, body: RequestBody? = nil
  ) throws -> SentRequest {
    var request = URLRequest(url: try #require(URL(string: "https://api.example.com/v1")))
    request.httpMethod = method.rawValue
    request.setValue(key, forHTTPHeaderField: "Idempotency-Key")
    return SentRequest(request, body: body)
  }

  @Test("RT-06: these statuses mean \"not now\"", arguments: [408, 425, 429, 500, 502, 503, 504])
  func transient(status: Int) throws {
    let decision = decision(on: .status(status, retryAfter: nil), of: [try sent()])
    #expect(decision == .again(after: .milliseconds(500)))
  }

  @Test(
    "RT-06: no other status is retried, not even with a Retry-After",
    arguments: [200, 204, 301, 304, 400, 401, 403, 404, 405, 409, 410, 422, 501, 505, 511])
  func final(status: Int) throws {
    for wait in [nil, Duration.seconds(1)] {
      #expect(decision(on: .status(status, retryAfter: wait), of: [try sent()]) == .deliver)
    }
  }

  @Test("RT-06: a 403 with a Retry-After is retried only if the policy says so")
  func limitedBy403() throws {
    var policy = RetryPolicy()
    let limited = AttemptOutcome.status(403, retryAfter: .seconds(1))
    #expect(!RetryRule(policy: policy).isTransient(limited))
    policy.statusesWithRetryAfter.insert(403)
    #expect(RetryRule(policy: policy).isTransient(limited))
    #expect(!RetryRule(policy: policy).isTransient(.status(403, retryAfter: nil)))
  }

  @Test("RT-06: 413 is retried only with a Retry-After")
  func contentTooLarge() throws {
    #expect(decision(on: .status(413, retryAfter: nil), of: [try sent()]) == .deliver)
    #expect(
      decision(on: .status(413, retryAfter: .zero), of: [try sent()])
        == .again(after: .milliseconds(500)))
  }

  @Test(
    "RT-07: a request that may be sent twice is retried",
    arguments: ["GET", "HEAD", "OPTIONS", "PUT", "DELETE", "TRACE", "QUERY"])
  func idempotent(method: String) throws {
    let exchanges = [try sent(HTTPMethod(method))]
    #expect(
      decision(on: .status(503, retryAfter: nil), of: exchanges)
        == .again(after: .milliseconds(500)))
    #expect(
      decision(on: .fault(.connectionReset, mayHaveBeenProcessed: true), of: exchanges)
        == .again(after: .milliseconds(500)))
  }

  @Test(
    "RT-07: any other request is retried with a key, by choice, or if it provably never left",
    arguments: ["POST", "PATCH", "LOCK"])
  func notIdempotent(method: String) throws {
    let method = HTTPMethod(method)
    let refusal = RepeatStep.stop(.notIdempotent(method))
    let again = RepeatStep.again(after: .milliseconds(500))
    let busy = AttemptOutcome.status(503, retryAfter: nil)
    let reset = AttemptOutcome.fault(.connectionReset, mayHaveBeenProcessed: true)
    let refused = AttemptOutcome.fault(.connectionRefused, mayHaveBeenProcessed: false)
    #expect(decision(on: busy, of: [try sent(method)]) == refusal)
    #expect(decision(on: reset, of: [try sent(method)]) == refusal)
    #expect(decision(on: refused, of: [try sent(method)]) == again)
    #expect(decision(on: busy, of: [try sent(method, key: "k")]) == again)
    #expect(decision(on: reset, of: [try sent(method, key: "k")]) == again)
    var choice = RetryPolicy()
    choice.methods = [method]
    #expect(decision(on: reset, of: [try sent(method)], policy: choice) == again)
  }

  @Test("RT-07: a last exchange that never left does not excuse the exchanges before it")
  func severalExchanges() throws {
    let refused = AttemptOutcome.fault(.connectionRefused, mayHaveBeenProcessed: false)
    // A POST that was redirected, and its target that is down.
    #expect(
      decision(on: refused, of: [try sent(.post), try sent(.get)]) == .stop(.notIdempotent(.post)))
    #expect(
      decision(on: refused, of: [try sent(.get), try sent(.post)])
        == .again(after: .milliseconds(500)))
    // Nothing was sent: a pipeline that failed before.
    #expect(decision(on: refused, of: []) == .again(after: .milliseconds(500)))
  }

  @Test("RT-07: a failure with unknown processing counts as processed")
  func unknownFault() {
    let request = RequestSummary(method: .post, url: URL(string: "https://h.example/a"))
    for cause in [nil, TestFailure() as any Error] {
      let error = RESTError(
        .transport(.connectionReset), reason: "reset", remedy: "", request: request,
        underlyingError: cause)
      #expect(
        AttemptOutcome(error, now: Date()) == .fault(.connectionReset, mayHaveBeenProcessed: true))
      #expect(RetriedCall(.failure(error), method: .post).sends == 1)
      #expect(RetriedCall(.failure(error), method: .get).sends == 3)
    }
  }

  @Test("RT-09: a body that is gone is not sent again, a replayable body is")
  func bodies() throws {
    let chunks = Just(Data()).setFailureType(to: (any Error).self)
    let outcome = AttemptOutcome.status(503, retryAfter: nil)
    let again = RepeatStep.again(after: .milliseconds(500))
    #expect(
      decision(on: outcome, of: [try sent(.put, body: .chunks(chunks))]) == .stop(.bodyIsSpent))
    for body in [
      RequestBody.chunks(chunks, isReplayable: true), .data(Data()),
      .file(URL(fileURLWithPath: "/")),
    ] {
      #expect(decision(on: outcome, of: [try sent(.put, body: body)]) == again)
    }
  }

  private static let retriedFaults: [TransportError.Kind] = [
    .hostNotFound, .connectionRefused, .connectFailed, .connectionClosedBeforeResponse,
    .connectionReset, .bodyCut, .sendFailed, .timedOut,
  ]
  private static let finalFaults: [TransportError.Kind] =
    [
      .unsupportedURL, .invalidRequest, .malformedResponse, .undecodableBody,
      .limitExceeded(.bodyBytes), .limitExceeded(.headerCount), .engineUnavailable,
      .invalidOptions, .other(code: 1),
    ] + TransportError.TLSReason.allCases.map { .tlsFailed($0) }

  @Test(
    "RT-18, RT-19: faults of name lookup, connection and time are retried, on each transport",
    arguments: retriedFaults)
  func retried(fault: TransportError.Kind) throws {
    for isProcessed in [true, false] {
      #expect(
        decision(on: .fault(fault, mayHaveBeenProcessed: isProcessed), of: [try sent()])
          == .again(after: .milliseconds(500)))
    }
  }

  @Test(
    "RT-17: faults of TLS, bad requests, limits and bad bodies are not retried",
    arguments: finalFaults)
  func final(fault: TransportError.Kind) throws {
    for isProcessed in [true, false] {
      let outcome = AttemptOutcome.fault(fault, mayHaveBeenProcessed: isProcessed)
      #expect(decision(on: outcome, of: [try sent()]) == .deliver)
    }
  }

  @Test("RT-17: of RESTKit's errors only those of a status or of the transport are retried")
  func errors() throws {
    let request = RequestSummary(method: .get, url: nil)
    let kinds: [RESTError.Kind] = [
      .invalidBaseURL, .invalidEndpoint, .invalidRequest, .redirect, .malformedResponse, .file,
      .decoding,
    ]
    for kind in kinds {
      let error = RESTError(kind, reason: "", remedy: "", request: request)
      #expect(AttemptOutcome(error, now: Date()) == .otherFailure)
    }
    for error in [TestFailure() as any Error, CancellationError()] {
      #expect(AttemptOutcome(error, now: Date()) == .otherFailure)
    }
    #expect(decision(on: .otherFailure, of: [try sent()]) == .deliver)
    let response = try makeResponse("{}", status: 503, headers: ["Retry-After": "7"])
    #expect(
      AttemptOutcome(RESTError(unacceptable: response), now: Date())
        == .status(503, retryAfter: .seconds(7)))
    let fault = TransportError(kind: .bodyCut, mayHaveBeenProcessed: false, statusCode: 502)
    #expect(
      AttemptOutcome(RESTError(fault, request: request), now: Date())
        == .fault(.bodyCut, mayHaveBeenProcessed: false, status: 502))
  }

  @Test("RT-10: an error page over the limit still counts as a response")
  func hugeErrorPage() throws {
    func outcome(_ status: Int) -> AttemptOutcome {
      .fault(.limitExceeded(.errorBodyBytes), mayHaveBeenProcessed: true, status: status)
    }
    #expect(
      decision(on: outcome(503), of: [try sent()]) == .again(after: .milliseconds(500)))
    #expect(decision(on: outcome(404), of: [try sent()]) == .deliver)
  }

  @Test("RT-11: the attempt that ended counts as an attempt")
  func attempts() throws {
    let outcome = AttemptOutcome.status(503, retryAfter: nil)
    let exchanges = [try sent()]
    #expect(
      decision(on: outcome, of: exchanges, attempts: 2) == .again(after: .seconds(1)))
    // A repetition after a refresh is sent beyond the limit, too.
    for attempts in [3, 4, 100] {
      #expect(
        decision(on: outcome, of: exchanges, attempts: attempts) == .stop(.attemptsSpent(3)))
    }
    for most in [1, 0, -1, Int.min] {
      #expect(
        decision(on: outcome, of: exchanges, policy: RetryPolicy(maxAttempts: most))
          == .stop(.attemptsSpent(1)))
    }
  }

  @Test("RT-05: Retry-After is added to the jitter, and too long a wait stops the retries")
  func retryAfter() throws {
    func outcome(_ seconds: Int) -> AttemptOutcome { .status(503, retryAfter: .seconds(seconds)) }
    let exchanges = [try sent()]
    #expect(decision(on: outcome(0), of: exchanges) == .again(after: .milliseconds(500)))
    #expect(decision(on: outcome(30), of: exchanges) == .again(after: .milliseconds(30_500)))
    #expect(
      decision(on: outcome(31), of: exchanges) == .stop(.retryAfterTooLong(.seconds(31))))
    var impatient = RetryPolicy()
    impatient.maxRetryAfter = .zero
    #expect(
      decision(on: outcome(1 << 31), of: exchanges, policy: impatient)
        == .stop(.retryAfterTooLong(.seconds(1 << 31))))
  }

  @Test("RT-05, RT-11: throttling that names its time is bounded by time alone")
  func throttled() throws {
    let limited = AttemptOutcome.status(429, retryAfter: .seconds(30))
    let remark = RetryRule.throttlingRemark
    for attempts in [1, 2, 3, 100] {
      var policy = RetryPolicy(totalTime: nil)
      policy.maxDelay = .zero
      #expect(
        decision(on: limited, of: [try sent()], attempts: attempts, policy: policy)
          == .again(after: .seconds(30), isFree: true, remark: remark))
    }
    #expect(
      decision(on: .status(429, retryAfter: .seconds(31)), of: [try sent()])
        == .stop(.retryAfterTooLong(.seconds(31))))
    #expect(
      decision(on: limited, of: [try sent()], policy: RetryPolicy(totalTime: .seconds(30)))
        == .stop(.noTimeLeft(.milliseconds(30_500))))
    #expect(
      decision(on: limited, of: [try sent()], policy: RetryPolicy(maxAttempts: 1))
        == .stop(.attemptsSpent(1)))
  }

  @Test("RT-11: a wait that would end too late does not begin, from jitter or Retry-After")
  func total() throws {
    let policy = RetryPolicy(totalTime: .seconds(10))
    let exchanges = [try sent()]
    func decision(_ retryAfter: Duration?, elapsed: Duration) -> RepeatStep {
      self.decision(
        on: .status(503, retryAfter: retryAfter), of: exchanges, elapsed: elapsed, policy: policy)
    }
    #expect(decision(nil, elapsed: .milliseconds(9_499)) == .again(after: .milliseconds(500)))
    #expect(
      decision(nil, elapsed: .milliseconds(9_500)) == .stop(.noTimeLeft(.milliseconds(500))))
    #expect(decision(.seconds(9), elapsed: .zero) == .again(after: .milliseconds(9_500)))
    #expect(
      decision(.seconds(9), elapsed: .seconds(1)) == .stop(.noTimeLeft(.milliseconds(9_500))))
  }

  @Test("Each refusal has its own text, without a secret")
  func texts() {
    let refusals: [RetryRefusal] = [
      .notIdempotent(.post), .bodyIsSpent, .attemptsSpent(3), .retryAfterTooLong(.seconds(90)),
      .noTimeLeft(.seconds(2)), .budgetSpent, .failuresSpent(3),
    ]
    #expect(Set(refusals.map { "\($0)" }).count == refusals.count)
  }
}
