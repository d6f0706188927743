#if os(Linux)
  import CCurl
  import Dispatch
  import Fixtures
  import Foundation
  import FoundationNetworking
  import RESTKit
  import RESTKitTesting
  import Streams
  import Testing

  @testable import HTTPTransport

  @Suite("Tasks on the threads of a CurlTransport", .timeLimit(.minutes(10)))
  struct TaskExecutorTests {
    private func makeServer() throws -> MockServer {
      try MockServer { request in
        request.path == "/v1/hang"
          ? MockResponse(status: 200, delivery: .hang) : .text(request.path)
      }
    }

    private func makeTransport(threads: Int = 1, deliveryThreads: Int = 16) throws -> CurlTransport
    {
      try CurlTransport(proxy: .none, threads: threads, deliveryThreads: deliveryThreads)
    }

    private func makeAPI(_ server: MockServer, _ transport: CurlTransport) -> TestAPI {
      TestAPI(baseURL: server.baseURL + "/v1", transport: transport, timeout: .seconds(3_600))
    }

    /// Starts a task that blocks before a door, and waits until it does.
    private func block(
      on executor: any TaskExecutor, before door: Door
    ) async -> Task<Bool, Never> {
      let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
      let task = Task(executorPreference: executor) {
        arrived.yield()
        door.pass()
        return isOnEngine()
      }
      for await _ in arrivals { break }
      return task
    }

    @Test("A task runs on the engine's threads from its begin to its end", arguments: [1, 3])
    func home(threads: Int) async throws {
      let server = try makeServer()
      defer { server.stop() }
      let transport = try makeTransport(threads: threads)
      let api = makeAPI(server, transport)
      let places = try await Task(executorPreference: transport.taskExecutor) {
        var places = [isOnEngine()]
        for number in 0..<20 {
          let response = try await api.get(endpoint: "\(number)").value
          #expect(response.data == Data("/v1/\(number)".utf8))
          places.append(isOnEngine())
          await Task.yield()
          places.append(isOnEngine())
        }
        return places
      }.value
      #expect(places.count == 41)
      #expect(!places.contains(false))
      #expect(!isOnEngine())
    }

    @Test("Children, `async let` and actors without an executor run there, the main actor does not")
    func isolation() async throws {
      let transport = try makeTransport()
      let counter = PlaceCounter()
      await withTaskExecutorPreference(transport.taskExecutor) {
        async let child = isOnEngine()
        #expect(await child)
        await withTaskGroup(of: Bool.self) { group in
          for _ in 0..<10 {
            group.addTask {
              await counter.note()
              return isOnEngine()
            }
          }
          for await isThere in group { #expect(isThere) }
        }
        #expect(await !isMainActorOnEngine())
        #expect(isOnEngine())
      }
      #expect(await counter.places == Array(repeating: true, count: 10))
      #expect(!isOnEngine())
    }

    @Test("Pieces come to a task in order, and without loss")
    func pieces() async throws {
      let body = patternedBody(2_000_000)
      let server = try MockServer { _ in MockResponse(status: 200, body: body) }
      defer { server.stop() }
      let transport = try makeTransport()
      let api = makeAPI(server, transport)
      let received = try await Task(executorPreference: transport.taskExecutor) {
        var received = Data()
        for try await event in api.events(endpoint: "large").values {
          if case .chunk(let data) = event { received += data }
        }
        return received
      }.value
      #expect(received == body)
    }

    @Test("A thousand calls are answered, by tasks there and elsewhere, while a task never returns")
    func blocked() async throws {
      let server = try makeServer()
      defer { server.stop() }
      let transport = try makeTransport()
      let api = makeAPI(server, transport)
      try await Door.around { door in
        let blocked = await block(on: transport.taskExecutor, before: door)
        try await withThrowingTaskGroup(of: Void.self) { group in
          for number in 0..<1_000 {
            let executor = number.isMultiple(of: 2) ? transport.taskExecutor : nil
            group.addTask(executorPreference: executor) {
              let response = try await api.get(
                endpoint: "\(number)",
                requestModifier: { request in
                  // A sanitizer makes all of them slow, and the last ones wait for the others.
                  var request = request
                  request.timeoutInterval = 1_200
                  return request
                }
              ).value
              #expect(response.data == Data("/v1/\(number)".utf8))
            }
          }
          try await group.waitForAll()
        }
        door.open()
        #expect(await blocked.value)
      }
    }

    @Test("Fourteen tasks and subscribers may block at once, and delay neither tasks nor calls")
    func fourteen() async throws {
      let server = try makeServer()
      defer { server.stop() }
      let transport = try makeTransport()
      let api = makeAPI(server, transport)
      try await Door.around { door in
        var tasks: [Task<Bool, Never>] = []
        var subscribers: [AnyCancellable] = []
        for number in 0..<14 {
          guard number.isMultiple(of: 3) else {
            tasks.append(await block(on: transport.taskExecutor, before: door))
            continue
          }
          let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
          subscribers.append(
            api.get(endpoint: "blocked").sink { _ in
              arrived.yield()
              door.pass()
            })
          for await _ in arrivals { break }
        }
        let isThere = try await Task(executorPreference: transport.taskExecutor) {
          _ = try await api.get(endpoint: "behind").value
          return isOnEngine()
        }.value
        #expect(isThere)
        door.open()
        for task in tasks { #expect(await task.value) }
        withExtendedLifetime(subscribers) {}
      }
    }

    @Test("Beyond the number of threads tasks wait, and go on when one returns")
    func bound() async throws {
      let transport = try makeTransport(deliveryThreads: 3)
      try await Door.around { door in
        let blocked = [
          await block(on: transport.taskExecutor, before: door),
          await block(on: transport.taskExecutor, before: door),
        ]
        let waiting = (0..<100).map { number in
          Task(executorPreference: transport.taskExecutor) { number }
        }
        door.letOnePass()
        var numbers: [Int] = []
        for task in waiting { numbers.append(await task.value) }
        #expect(numbers == Array(0..<100))
        door.open()
        for task in blocked { #expect(await task.value) }
      }
    }

    @Test("A task may wait for another one there, which waits for another, eight deep")
    func nested() async throws {
      let server = try makeServer()
      defer { server.stop() }
      let transport = try makeTransport()
      let api = makeAPI(server, transport)
      @Sendable func path(_ depth: Int) async throws -> String {
        let own = String(
          decoding: try await api.get(endpoint: "\(depth)").value.data, as: UTF8.self)
        return depth == 0 ? own : own + waitBlocking(for: depth - 1)
      }
      @Sendable func waitBlocking(for depth: Int) -> String {
        let isDone = DispatchSemaphore(value: 0)
        let inner = Lock("")
        Task(executorPreference: transport.taskExecutor) {
          let text = (try? await path(depth)) ?? "failed"
          inner.withLock { $0 = text }
          isDone.signal()
        }
        isDone.wait()
        return inner.withLock { $0 }
      }
      let whole = try await Task(executorPreference: transport.taskExecutor) { try await path(8) }
        .value
      #expect(whole == (0...8).reversed().map { "/v1/\($0)" }.joined())
    }

    @Test("Each of 10,000 tasks runs each of its parts once", arguments: [1, 4])
    func tenThousand(threads: Int) async throws {
      let server = try makeServer()
      defer { server.stop() }
      let transport = try makeTransport(threads: threads)
      let api = makeAPI(server, transport)
      let parts = Lock(Array(repeating: 0, count: 10_000))
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<10_000 {
          group.addTask(executorPreference: transport.taskExecutor) { @Sendable in
            for part in 0..<4 {
              parts.withLock { $0[number] += 1 }
              if part == 1, number.isMultiple(of: 100) {
                _ = try await api.get(endpoint: "\(number)").value
              } else {
                await Task.yield()
              }
            }
          }
        }
        try await group.waitForAll()
      }
      #expect(parts.withLock { $0 } == Array(repeating: 4, count: 10_000))
    }

    @Test("A task that yields for ever holds up neither other tasks nor calls")
    func yielding() async throws {
      let server = try makeServer()
      defer { server.stop() }
      let transport = try makeTransport()
      let api = makeAPI(server, transport)
      let restless = Task(executorPreference: transport.taskExecutor) {
        while !Task.isCancelled { await Task.yield() }
      }
      for number in 0..<20 {
        let text = try await Task(executorPreference: transport.taskExecutor) {
          try await api.get(endpoint: "\(number)").value.data
        }.value
        #expect(text == Data("/v1/\(number)".utf8))
      }
      restless.cancel()
      await restless.value
    }

    @Test("A cancel ends the task's call at the server, and the task goes on there")
    func cancel() async throws {
      let server = try makeServer()
      defer { server.stop() }
      let transport = try makeTransport()
      let api = makeAPI(server, transport)
      let task = Task(executorPreference: transport.taskExecutor) {
        await #expect(throws: CancellationError.self) {
          try await api.get(endpoint: "hang").value
        }
        return isOnEngine()
      }
      let id = try await server.received(1)[0].connectionID
      task.cancel()
      #expect(await task.value)
      #expect(try await server.connectionClosed(id) == .client)
    }

    @Test("A cancel reaches a task that blocks, and one that waits behind it")
    func cancelOfBlocked() async throws {
      let transport = try makeTransport(deliveryThreads: 2)
      try await Door.around { door in
        let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
        let blocked = Task(executorPreference: transport.taskExecutor) {
          arrived.yield()
          door.pass()
          return Task.isCancelled
        }
        for await _ in arrivals { break }
        let waiting = Task(executorPreference: transport.taskExecutor) { Task.isCancelled }
        blocked.cancel()
        waiting.cancel()
        door.open()
        #expect(await blocked.value)
        #expect(await waiting.value)
      }
    }

    @Test("Behind the transport's end its tasks go on in Swift's threads", arguments: [1, 3])
    func shutdown(threads: Int) async throws {
      let executor = try makeTransport(threads: threads).taskExecutor
      let places = await Task(executorPreference: executor) {
        var places: [Bool] = []
        for _ in 0..<10 {
          await Task.yield()
          places.append(isOnEngine())
        }
        return places
      }.value
      #expect(places == Array(repeating: false, count: 10))
    }

    @Test("An end hands over what waits behind tasks that block for good")
    func handOver() async throws {
      let transport = Lock<CurlTransport?>(try makeTransport(deliveryThreads: 3))
      let executor = try #require(transport.withLock { $0?.taskExecutor })
      try await Door.around { door in
        let blocked = [
          await block(on: executor, before: door), await block(on: executor, before: door),
        ]
        let waiting = (0..<1_000).map { number in
          Task(executorPreference: executor) {
            await Task.yield()
            return number
          }
        }
        let released = transport.withLock { $0.take() }
        _ = consume released
        var numbers: [Int] = []
        for task in waiting { numbers.append(await task.value) }
        #expect(numbers == Array(0..<1_000))
        door.open()
        for task in blocked { #expect(await task.value) }
      }
    }

    @Test("Tasks run to their ends while transports end, at any moment")
    func ends() async throws {
      for round in 0..<20 {
        let transport = Lock<CurlTransport?>(try makeTransport(threads: 1 + round % 3))
        let executor = try #require(transport.withLock { $0?.taskExecutor })
        let parts = Lock(0)
        await withTaskGroup(of: Void.self) { group in
          for _ in 0..<50 {
            group.addTask(executorPreference: executor) { @Sendable in
              for _ in 0..<20 {
                parts.withLock { $0 += 1 }
                await Task.yield()
              }
            }
          }
          for _ in 0..<round { await Task.yield() }
          let released = transport.withLock { $0.take() }
          _ = consume released
        }
        #expect(parts.withLock { $0 } == 1_000)
      }
    }

    @Test("A task may release the last reference to its transport")
    func release() async throws {
      let (ends, end) = AsyncStream.makeStream(of: Bool.self)
      do {
        let transport = try makeTransport()
        Task(executorPreference: transport.taskExecutor) {
          [witness = Witness { end.yield(true) }] in
          withExtendedLifetime((transport, witness)) {}
        }
      }
      for await isReleased in ends {
        #expect(isReleased)
        break
      }
    }
  }

  /// An actor without an executor of its own.
  private actor PlaceCounter {
    private(set) var places: [Bool] = []

    func note() { places.append(isOnEngine()) }
  }

  @MainActor private func isMainActorOnEngine() -> Bool { isOnEngine() }

  /// Whether the calling thread is one of an engine.
  private func isOnEngine() -> Bool { ccurl_loop() != 0 }
#endif
