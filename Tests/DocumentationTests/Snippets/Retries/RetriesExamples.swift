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

// snippet: body-wait
/// Adds a `Retry-After` to a 429 that names its wait only in its body.
nonisolated struct BodyRetryAfter: Transport {
  private nonisolated struct Wait: Decodable {
    let milliseconds: Int32

    private enum CodingKeys: String, CodingKey { case milliseconds = "retry_after_ms" }
  }

  let inner: any Transport

  var limits: TransportLimits { inner.limits }
  var observer: CallObserver? { inner.observer }
  var identity: TransportIdentity { inner.identity }

  func response(for request: URLRequest) -> AnyPublisher<RESTResponse, any Error> {
    inner.response(for: request).map { response in
      guard response.statusCode == 429, !response.headers.contains("Retry-After"),
        let wait = try? JSONDecoder().decode(Wait.self, from: response.data)
      else { return response }
      var headers = response.headers
      // The field has whole seconds, and no retry may come too early.
      headers.set(name: "Retry-After", value: "\((Int(wait.milliseconds) + 999) / 1_000)")
      let head = ResponseHead(
        url: response.url, statusCode: 429, httpVersion: response.head.httpVersion,
        headers: headers)
      return RESTResponse(
        head: head, data: response.data, request: response.request, metrics: response.metrics)
    }
    .eraseToAnyPublisher()
  }

  func events(
    for request: URLRequest, body: RequestBody?
  ) -> AnyPublisher<TransferEvent, any Error> {
    inner.events(for: request, body: body)
  }
}
// end
