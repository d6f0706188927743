import RESTKit
import Testing

@Suite("Other libraries' names for the parts of a request")
struct EndpointNamesTests {
  private struct Plain: Endpoint {
    typealias Response = Int

    var path: ResourcePath { "a" }
  }

  @Test("An endpoint that declares none of them has no values for them")
  func unused() {
    let plain = Plain()
    let names: [Any] = [
      plain.httpMethod, plain.httpBody, plain.requestBody, plain.queryItems,
      plain.queryParameters, plain.parameters, plain.httpHeaders, plain.timeoutInterval,
      plain.retryPolicy, plain.jsonDecoder,
    ]
    #expect(names.allSatisfy { $0 is UnusedName })
    let spellings: [Void] = [
      Plain.spellingOfMethod, Plain.spellingOfBody, Plain.spellingOfRequestBody,
      Plain.spellingOfQuery, Plain.spellingOfQueryParameters, Plain.spellingOfParameters,
      Plain.spellingOfHeaders, Plain.spellingOfTimeout, Plain.spellingOfRetry,
      Plain.spellingOfDecoder,
    ]
    #expect(spellings.count == names.count)
  }
}
