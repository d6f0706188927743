/// Who makes the calls.
enum Client: String, CaseIterable, Sendable {
  case verbs = "RESTKit on CurlTransport"
  case curlTransport = "CurlTransport"
  case verbsOnURLSession = "RESTKit on URLSessionTransport"
  case urlSessionTransport = "URLSessionTransport"
  case urlSession = "URLSession"
  case asyncHTTPClient = "AsyncHTTPClient"
  case bareCurl = "libcurl in C"
  case verbsOnAnswer = "RESTKit on an answer"
  case answer = "an answer"
}

/// One client's way to make calls.
struct Contender: Sendable {
  let client: Client
  /// Makes so many calls, so many of them at a time, and returns the number of bytes of all bodies.
  let run: @Sendable (_ calls: Int, _ callers: Int) async throws -> Int

  /// - Parameter call: Makes one call and returns the number of bytes of its body.
  init(_ client: Client, call: @escaping @Sendable () async throws -> Int) {
    self.init(client) { calls, callers in
      try await withThrowingTaskGroup(of: Int.self) { group in
        for caller in 0..<callers {
          let own = calls / callers + (caller < calls % callers ? 1 : 0)
          group.addTask {
            var bytes = 0
            for _ in 0..<own { bytes += try await call() }
            return bytes
          }
        }
        return try await group.reduce(0, +)
      }
    }
  }

  init(_ client: Client, run: @escaping @Sendable (Int, Int) async throws -> Int) {
    self.client = client
    self.run = run
  }
}
