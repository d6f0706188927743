import RESTKit
import Streams

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
}
