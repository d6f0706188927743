import Streams

/// A client that makes the calls.
///
/// Those without another word are awaited by tasks.
enum Client: String, CaseIterable, Sendable {
  case pipeline = "CurlTransport, pipeline"
  case verbsPipeline = "RESTKit on CurlTransport, pipeline, decoded"
  case verbs = "RESTKit on CurlTransport"
  case verbsDecoded = "RESTKit on CurlTransport, decoded"
  case curlTransport = "CurlTransport"
  case verbsOnExecutor = "RESTKit on CurlTransport, decoded, tasks on its executor"
  case executor = "CurlTransport, tasks on its executor"
  case verbsOnURLSession = "RESTKit on URLSessionTransport"
  case urlSessionTransport = "URLSessionTransport"
  case urlSession = "URLSession"
  case asyncHTTPClient = "AsyncHTTPClient"
  case bareCurl = "libcurl in C"
  case bareCurlTwice = "libcurl in C, two threads"
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

  /// - Parameters:
  ///   - executor: The executor that the tasks prefer.
  ///   - call: As above.
  init(
    _ client: Client, on executor: any TaskExecutor,
    call: @escaping @Sendable () async throws -> Int
  ) {
    self.init(
      client,
      run: { load in
        try await withTaskExecutorPreference(executor) { try await load.answers(by: call) }
      })
  }

  /// - Parameter call: A closure that returns a publisher of the number of bytes of one body.
  init(_ client: Client, pipeline call: @escaping @Sendable () -> AnyPublisher<Int, any Error>) {
    self.init(client, run: { load in try await load.answers(inPipeline: call) })
  }

  init(_ client: Client, run: @escaping @Sendable (Load) async throws -> Answers) {
    self.client = client
    self.run = run
  }
}
