/// A client that makes the calls.
enum Client: String, CaseIterable, Sendable {
  case verbs = "RESTKit on CurlTransport"
  case curlTransport = "CurlTransport"
  case verbsOnURLSession = "RESTKit on URLSessionTransport"
  case urlSessionTransport = "URLSessionTransport"
  case urlSession = "URLSession"
  case asyncHTTPClient = "AsyncHTTPClient"
  case bareCurl = "libcurl in C"
  case verbsOnAnswer = "RESTKit on a response"
  case answer = "a response"
}

/// One client's implementation of calls.
struct Contender: Sendable {
  let client: Client
  /// Makes calls and returns their results.
  let run: @Sendable (Load) async throws -> Answers

  /// - Parameter call: A closure that makes one call and returns the number of bytes of its body.
  init(_ client: Client, call: @escaping @Sendable () async throws -> Int) {
    self.init(client, run: { load in try await load.answers(by: call) })
  }

  init(_ client: Client, run: @escaping @Sendable (Load) async throws -> Answers) {
    self.client = client
    self.run = run
  }
}
