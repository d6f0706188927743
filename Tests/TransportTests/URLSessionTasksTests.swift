#if canImport(FoundationNetworking)
  import Fixtures
  import Foundation
  import FoundationNetworking
  import Synchronization
  import Testing

  @testable import HTTPTransport
  @testable import RESTKit

  @Suite("The tasks of URLSession, in rare orders of events", .timeLimit(.minutes(10)))
  struct URLSessionTasksTests {
    /// The events, in order, from any thread.
    private final class Journal: Sendable {
      private let stream: AsyncStream<String>
      private let continuation: AsyncStream<String>.Continuation

      init() {
        (stream, continuation) = AsyncStream.makeStream(of: String.self)
      }

      func add(_ line: String) { continuation.yield(line) }

      /// Waits for so many lines.
      func lines(_ count: Int) async -> [String] {
        var lines: [String] = []
        for await line in stream {
          lines.append(line)
          if lines.count == count { break }
        }
        return lines
      }

      /// Waits for this line, and returns it with those before it.
      func lines(upTo last: String) async -> [String] {
        var lines: [String] = []
        for await line in stream {
          lines.append(line)
          if line == last { break }
        }
        return lines
      }
    }

    /// A task that does nothing but tell what it is told.
    ///
    /// Unchecked, since its superclass is not final: what it adds are constants that are Sendable.
    private final class NotedTask: URLSessionDataTask, @unchecked Sendable {
      private let journal: Journal
      private let onResume: @Sendable () -> Void

      init(_ journal: Journal, onResume: @escaping @Sendable () -> Void = {}) {
        self.journal = journal
        self.onResume = onResume
        super.init()
      }

      override func resume() {
        onResume()
        journal.add("resume")
      }

      override func cancel() { journal.add("cancel") }
    }

    private let journal = Journal()

    private func makeTasks(bodyBytes: Int = 1_000) -> URLSessionTasks {
      var limits = TransportLimits()
      limits.bodyBytes = bodyBytes
      return URLSessionTasks(limits: limits)
    }

    private func makeCall() -> EngineCall {
      EngineCall(
        completion: { [journal] result in
          switch result.whole {
          case .success(let response):
            journal.add("\(response.status), \(response.body.count) bytes")
          case .failure(let fault):
            journal.add(fault.kind == .malformedResponse ? "malformed" : "failed")
          }
        }, onCancel: { _ in })
    }

    private func message() throws -> URLSessionMessage {
      try URLSessionMessage(EngineRequest(url: "http://127.0.0.1:1/"))
    }

    /// Runs a task of a call that comes whole, or, with a handler, in pieces.
    private func run(
      _ task: NotedTask, of tasks: URLSessionTasks, for call: EngineCall? = nil,
      _ onEvent: EngineEventHandler? = nil
    ) throws {
      tasks.run(
        task, for: call ?? makeCall(), try message(),
        onEvent.map { EventBuffer(handler: $0) })
    }

    private func head(
      _ status: Int, _ fields: [String: String] = [:]
    ) throws -> HTTPURLResponse {
      let url = try #require(URL(string: "http://127.0.0.1:1/"))
      return try #require(
        HTTPURLResponse(
          url: url, statusCode: status,
          httpVersion: "HTTP/1.1", headerFields: fields))
    }

    // MARK: Starting

    @Test("A cancel before the start takes effect after it")
    func cancelBeforeStart() async {
      let starter = URLSessionStarter(NotedTask(journal))
      starter.cancel()
      journal.add("start")
      starter.start()
      journal.add("cancel again")
      starter.cancel()
      #expect(await journal.lines(5) == ["start", "resume", "cancel", "cancel again", "cancel"])
    }

    @Test("A cancel during the start takes effect after it")
    func cancelDuringStart() async {
      let held = Mutex<URLSessionStarter?>(nil)
      let starter = URLSessionStarter(
        NotedTask(journal) { held.withLock { $0 }?.cancel() })
      held.withLock { $0 = starter }
      starter.start()
      held.withLock { $0 = nil }
      #expect(await journal.lines(2) == ["resume", "cancel"])
    }

    @Test("A call that was cancelled before its task was known cancels the task")
    func cancelledBefore() async throws {
      let call = makeCall()
      call.cancel()
      let tasks = makeTasks()
      try run(NotedTask(journal), of: tasks, for: call)
      #expect(await journal.lines(2) == ["resume", "cancel"])
    }

    @Test(
      "A call whose time is over says after which time, or silence", arguments: [false, true])
    func expiry(isIdle: Bool) async throws {
      var request = EngineRequest(url: "http://127.0.0.1:1/")
      if isIdle { request.idleTimeout = .zero } else { request.timeout = .zero }
      let call = EngineCall(
        completion: { [journal] result in
          if case .failure(let fault) = result { journal.add("\(fault.kind) \(fault.detail)") }
        }, onCancel: { _ in })
      let tasks = makeTasks()
      tasks.run(
        NotedTask(journal), for: call, try URLSessionMessage(request), nil)
      let time = isIdle ? "the server was silent for 0.0 seconds" : "after 0.0 seconds"
      #expect(Set(await journal.lines(3)) == ["resume", "cancel", "timedOut \(time)"])
      withExtendedLifetime(tasks) {}
    }

    // MARK: Shutting down

    @Test("A session is invalidated only after a task's start has finished")
    func stopDuringStart() async throws {
      let tasks = makeTasks()
      let task = NotedTask(journal) { [journal] in
        tasks.stop(invalidate: { journal.add("invalidate") }, whenStopped: {})
      }
      try run(task, of: tasks)
      let lines = await journal.lines(upTo: "invalidate")
      #expect(lines.contains("resume"))
    }

    @Test("A task made at the end of the session does not block the end")
    func madeTooLate() async throws {
      let tasks = makeTasks()
      let session = URLSession(
        configuration: URLSessionEngineConfiguration().sessionConfiguration, delegate: tasks,
        delegateQueue: nil)
      let message = try message()
      let task = session.dataTask(with: message.request)
      tasks.stop(
        invalidate: { session.finishTasksAndInvalidate() },
        whenStopped: { [journal] in journal.add("stopped") })
      tasks.run(task, for: makeCall(), message, nil)
      let lines = await journal.lines(2)
      #expect(Set(lines) == ["failed", "stopped"])
    }

    @Test("The completion of a shutdown is called once, after the session is gone")
    func stopped() async {
      let tasks = makeTasks()
      let stop: @Sendable () -> Void = { [journal] in
        tasks.stop(
          invalidate: { journal.add("invalidate") }, whenStopped: { journal.add("stopped") })
      }
      stop()
      #expect(await journal.lines(upTo: "invalidate") == ["invalidate"])
      tasks.noteInvalid()
      tasks.noteInvalid()
      journal.add("end")
      #expect(await journal.lines(upTo: "end") == ["stopped", "end"])
      stop()
      #expect(await journal.lines(upTo: "stopped") == ["stopped"])
    }

    @Test("Events after a shutdown are delivered to nobody")
    func lateData() async throws {
      let tasks = makeTasks()
      let task = NotedTask(journal)
      try run(task, of: tasks) { [journal] _ in
        journal.add("event")
        return .more
      }
      tasks.urlSession(
        .shared, dataTask: task, didReceive: try head(200), completionHandler: { _ in })
      tasks.stop(invalidate: {}, whenStopped: {})
      tasks.urlSession(.shared, dataTask: task, didReceive: Data("late".utf8))
      let lines = await journal.lines(upTo: "failed")
      #expect(lines.filter { $0 == "event" }.count == 1)
    }

    // MARK: Ends

    private func redirect(_ tasks: URLSessionTasks, _ task: NotedTask, to head: HTTPURLResponse) {
      tasks.urlSession(
        .shared, task: task, willPerformHTTPRedirection: head,
        newRequest: URLRequest(url: URL(fileURLWithPath: "/")), completionHandler: { _ in })
    }

    @Test("A redirect is the response, without its partial body, and its task is cancelled")
    func redirect() async throws {
      let tasks = makeTasks()
      let task = NotedTask(journal)
      try run(task, of: tasks)
      let head = try head(302, ["Location": "/b"])
      tasks.urlSession(.shared, dataTask: task, didReceive: head, completionHandler: { _ in })
      tasks.urlSession(.shared, dataTask: task, didReceive: Data("moved".utf8))
      redirect(tasks, task, to: head)
      #expect(Set(await journal.lines(3)) == ["resume", "cancel", "302, 0 bytes"])
    }

    @Test("SEC-09: a redirect with an invalid head is refused")
    func badRedirect() async throws {
      let tasks = makeTasks()
      let task = NotedTask(journal)
      try run(task, of: tasks)
      redirect(tasks, task, to: try head(302, ["Location": "/b", "Transfer-Encoding": "gzip"]))
      #expect(Set(await journal.lines(3)) == ["resume", "cancel", "malformed"])
    }

    @Test("A task whose body is too large is cancelled")
    func tooLarge() async throws {
      let tasks = makeTasks(bodyBytes: 2)
      let task = NotedTask(journal)
      try run(task, of: tasks)
      tasks.urlSession(
        .shared, dataTask: task, didReceive: try head(200), completionHandler: { _ in })
      tasks.urlSession(.shared, dataTask: task, didReceive: Data("ab".utf8))
      tasks.urlSession(.shared, dataTask: task, didReceive: Data("c".utf8))
      #expect(Set(await journal.lines(3)) == ["resume", "cancel", "failed"])
    }
  }
#endif
