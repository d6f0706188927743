import Foundation
import RESTKit
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The examples of Docs/Retries.md.
struct RetriesExamples {
  // snippet: policies
  struct StockAPI: RESTAPI {
    let baseURL: String
    var transport: any Transport = .shared
    let retry = RetryPolicy()  // for every verb
  }

  func report(
    of api: StockAPI, retrying patient: RetryPolicy
  ) -> AnyPublisher<RESTResponse, any Error> {
    api.get(endpoint: "report")
      .retry(patient)  // for this one, in the API's place
      .eraseToAnyPublisher()
  }
  // end

  // snippet: decoded
  func stock(
    of api: StockAPI, retrying patient: RetryPolicy
  ) -> AnyPublisher<[String: Int], any Error> {
    api.get(endpoint: "stock").decode(type: [String: Int].self).retry(patient)
  }
  // end

  // snippet: body-wait
  /// Reads `{"retry_after_ms": 2300}` of a 429, or `{"parameters": {"retry_after": 5}}`.
  nonisolated static func waitInBody(of response: RESTResponse) -> Duration? {
    let body = response.json
    if let milliseconds = body?["retry_after_ms"]?.integer { return .milliseconds(milliseconds) }
    return body?["parameters"]?["retry_after"]?.integer.map { .seconds($0) }
  }

  func patientPolicy() -> RetryPolicy {
    var policy = RetryPolicy()
    policy.retryAfter = Self.waitInBody
    return policy
  }

  func limiter() -> RateLimiter {
    RateLimiter(10, per: .seconds(1), retryAfter: Self.waitInBody)
  }
  // end

  // snippet: throttled-post
  struct RoomsAPI: RESTAPI {
    let baseURL: String
    var transport: any Transport = .shared
    let retry = RetryPolicy(throttledMethods: [.post], retryAfter: waitInBody)
  }
  // end

  // snippet: own-rule
  struct JobsAPI: RESTAPI {
    let baseURL: String
    var transport: any Transport = .shared
    let retry = RetryPolicy(
      attemptTimeout: .seconds(10),
      isTransient: { outcome in
        switch outcome {
        case .success(let response) where response.statusCode == 423: true  // locked, for now
        case .failure(let error as RESTError) where error.kind == .malformedResponse: true
        default: nil
        }
      })
  }
  // end
}
