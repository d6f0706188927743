#if os(Linux)
  import Dispatch
  import Fixtures
  import Foundation
  import FoundationNetworking
  import RESTKit
  import RESTKitTesting
  import Streams
  import Testing

  @testable import HTTPTransport
  @testable import struct RESTKit.CurlConfiguration
  @testable import class RESTKit.CurlEngine

  @Suite("A slow subscriber of CurlTransport", .timeLimit(.minutes(10)))
  struct BlockedCurlTransportTests {
    private static let large = patternedBody(50_000)

    private func makeServer() throws -> MockServer {
      try MockServer { request in
        switch request.path {
        case "/v1/hang": MockResponse(status: 200, delivery: .hang)
        case "/v1/large": MockResponse(status: 200, body: Self.large)
        default: .text(request.path + String(decoding: request.body, as: UTF8.self))
        }
      }
    }

    private func api(_ server: MockServer, deliveryThreads: Int = 16) throws -> TestAPI {
      TestAPI(
        baseURL: server.baseURL + "/v1",
        transport: try CurlTransport(proxy: .none, deliveryThreads: deliveryThreads))
    }

    /// Blocks a subscriber before a door.
    private func block(_ api: TestAPI, before door: Door) async -> AnyCancellable {
      let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
      let blocked = api.get(endpoint: "blocked").sink { _ in
        arrived.yield()
        door.pass()
      }
      for await _ in arrivals { break }
      return blocked
    }

    @Test("A thousand calls of all kinds are answered while one subscriber never returns")
    func thousand() async throws {
      let server = try makeServer()
      defer { server.stop() }
      let api = try api(server)
      // A sanitizer makes all of them slow, and the last ones wait for the others.
      let patient: RequestModifier = { request in
        var request = request
        request.timeoutInterval = 1_200
        return request
      }
      try await Door.around { door in
        let blocked = await block(api, before: door)
        try await withThrowingTaskGroup(of: Void.self) { group in
          for number in 0..<1_000 {
            group.addTask {
              switch number % 4 {
              case 0:
                let text = try await api.get(endpoint: "\(number)", requestModifier: patient)
                  .value.data
                #expect(text == Data("/v1/\(number)".utf8))
              case 1:
                let chunks = ["a", "b", "c", "d"].map { Data($0.utf8) }.publisher
                let answer = try await api.put(
                  endpoint: "\(number)",
                  body: .chunks(chunks.setFailureType(to: (any Error).self)),
                  requestModifier: patient
                ).value.data
                #expect(answer == Data("/v1/\(number)abcd".utf8))
              case 2:
                let events = try await api.events(endpoint: "large", requestModifier: patient)
                  .allValues
                let body = events.reduce(into: Data()) { body, event in
                  if case .chunk(let data) = event { body += data }
                }
                #expect(body == Self.large)
              default:
                // Some run out of time, since their server is silent.
                guard number % 100 == 3 else {
                  let status = try await api.head(endpoint: "\(number)", requestModifier: patient)
                    .value.statusCode
                  #expect(status == 200)
                  return
                }
                let error = await #expect(throws: RESTError.self) {
                  try await api.get(endpoint: "hang") { request in
                    var request = request
                    request.timeoutInterval = 0.05
                    return request
                  }.value
                }
                #expect(error?.kind == .transport(.timedOut))
              }
            }
          }
          try await group.waitForAll()
        }
        door.open()
        blocked.cancel()
      }
    }

    @Test("A map may wait for another call, which waits for another, eight deep")
    func nested() async throws {
      let server = try makeServer()
      defer { server.stop() }
      let api = try api(server)
      @Sendable func path(_ depth: Int) -> AnyPublisher<String, any Error> {
        api.get(endpoint: "\(depth)").map { response in
          let own = String(decoding: response.data, as: UTF8.self)
          guard depth > 0 else { return own }
          let isDone = DispatchSemaphore(value: 0)
          let inner = Lock("")
          let waiting = path(depth - 1).sink { result in
            inner.withLock { $0 = (try? result.get()) ?? "failed" }
            isDone.signal()
          }
          isDone.wait()
          return withExtendedLifetime(waiting) { own + inner.withLock { $0 } }
        }
        .eraseToAnyPublisher()
      }
      let whole = try await path(8).value
      #expect(whole == (0...8).reversed().map { "/v1/\($0)" }.joined())
    }

    @Test("Subscribers that block all threads but two delay no other call", arguments: [16, 34])
    func allButTwo(threads: Int) async throws {
      let server = try makeServer()
      defer { server.stop() }
      let api = try api(server, deliveryThreads: threads)
      try await Door.around { door in
        var blocked: [AnyCancellable] = []
        for _ in 0..<threads - 2 { blocked.append(await block(api, before: door)) }
        _ = try await api.get(endpoint: "behind").value
        door.open()
        withExtendedLifetime(blocked) {}
      }
    }

    @Test("Beyond the number of threads, responses wait, and are not lost")
    func bound() async throws {
      let server = try makeServer()
      defer { server.stop() }
      let warnings = Lock<[String]>([])
      let (warned, warn) = AsyncStream.makeStream(of: Void.self)
      var configuration = CurlConfiguration()
      configuration.security.proxy = .none
      configuration.deliveryThreads = 3
      configuration.warn = { text in
        warnings.withLock { $0.append(text) }
        warn.yield()
      }
      let engine = try CurlEngine(configuration: configuration)
      try await Door.around { door in
        let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
        let (ends, ended) = AsyncStream.makeStream(of: Int.self)
        for number in 0..<2 {
          _ = engine.start(.init(url: server.baseURL)) { _ in
            arrived.yield()
            door.pass()
            ended.yield(number)
          }
          for await _ in arrivals { break }
        }
        for number in 2..<10 {
          _ = engine.start(.init(url: server.baseURL)) { _ in ended.yield(number) }
        }
        for await _ in warned { break }
        door.letOnePass()
        var numbers: Set<Int> = []
        for await number in ends.prefix(9) { numbers.insert(number) }
        #expect(numbers.isSuperset(of: 2..<10))
        door.open()
        for await number in ends.prefix(1) { numbers.insert(number) }
        #expect(numbers == Set(0..<10))
        #expect(warnings.withLock { $0.count } == 1)
      }
    }

    @Test("A slow subscriber delays no other call over a stub's socket")
    func stubSocket() async throws {
      let transport = try StubTransport(
        StubAPIResponse(
          request: StubRequest(.get, urlString: "https://api.example.com/v1/blocked"),
          result: .success(Data("first".utf8))),
        StubAPIResponse(
          request: StubRequest(.get, urlString: "https://api.example.com/v1/other"),
          result: .success(Data("second".utf8))),
        over: try CurlTransport(proxy: .none))
      let api = TestAPI(transport: transport)
      try await Door.around { door in
        let blocked = await block(api, before: door)
        let other = try await api.get(endpoint: "other").value.data
        #expect(other == Data("second".utf8))
        withExtendedLifetime(blocked) {}
      }
    }

    @Test("An upload's publisher may be slow, too")
    func slowPublisher() async throws {
      let server = try makeServer()
      defer { server.stop() }
      let api = try api(server)
      try await Door.around { door in
        let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
        let chunks = [1, 2, 3, 4, 5].publisher.map { number in
          if number == 4 {
            arrived.yield()
            door.pass()
          }
          return Data("\(number)".utf8)
        }
        async let answer = api.put(
          endpoint: "slow", body: .chunks(chunks.setFailureType(to: (any Error).self))
        ).value.data
        for await _ in arrivals { break }
        for _ in 0..<10 { _ = try await api.get(endpoint: "other").value }
        door.open()
        #expect(try await answer == Data("/v1/slow12345".utf8))
      }
    }
  }
#endif
