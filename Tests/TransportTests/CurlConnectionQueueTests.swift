#if os(Linux)
  import Testing

  @testable import HTTPTransport
  @testable import RESTKit

  @Suite("Starting and waiting calls with few connections")
  struct CurlConnectionQueueTests {
    private let library: CurlLibrary
    private let connectionQueue = CurlConnectionQueue(ConnectionShare(connections: 1))

    init() throws { library = try CurlLibrary.load() }

    private static let start = ContinuousClock.now

    /// A call that waits for so many seconds at most.
    private func job(
      _ seconds: Int? = nil, url: String = "http://a.example/", isUrgent: Bool = false
    ) throws -> CurlJob {
      let call = EngineCall(completion: { _ in }, onCancel: { _ in })
      let timeout = seconds.map { Duration.seconds($0) }
      var request = EngineRequest(url: url, timeout: timeout)
      request.isUrgent = isUrgent
      return try CurlJob(request, call, begin: Self.start, library: library)
    }

    @Test("A queue whose waiting call left is free again, and the next call begins at once")
    func passesTheGone() throws {
      let line = try #require(connectionQueue.begin(try job()))
      let (gone, next) = (try job(), try job())
      for job in [gone, next] { #expect(connectionQueue.begin(job) == nil) }
      connectionQueue.remove(gone.call)
      connectionQueue.leave(line)
      #expect(connectionQueue.nextJob(line) === next)
      connectionQueue.leave(line)
      #expect(connectionQueue.begin(try job()) != nil)
    }

    @Test("While the room is held no call begins; then each queue continues")
    func held() throws {
      let line = try #require(connectionQueue.begin(try job()))
      let (first, second) = (try job(), try job())
      let other = try job(url: "http://b.example/")
      connectionQueue.hold(true)
      for job in [first, second, other] { #expect(connectionQueue.begin(job) == nil) }
      connectionQueue.leave(line)
      #expect(connectionQueue.nextJob(line) == nil)
      connectionQueue.hold(false)
      let begun = connectionQueue.waitingLines().compactMap { connectionQueue.nextJob($0)?.origin }
      #expect(Set(begun) == [first.origin, other.origin])
      #expect(connectionQueue.waitingLines().count == 1)
      connectionQueue.leave(line)
      #expect(connectionQueue.nextJob(line) === second)
      #expect(connectionQueue.waitingLines().isEmpty)
    }

    @Test(
      "A queue keeps at most 64 abandoned calls, or half of its length",
      arguments: [(waiting: 100, left: 65), (waiting: 140, left: 71)])
    func letsGo(waiting: Int, left: Int) throws {
      let line = try #require(connectionQueue.begin(try job()))
      var jobs = try (0..<waiting).map { _ in try job() }
      for job in jobs { #expect(connectionQueue.begin(job) == nil) }
      weak let first = jobs.first?.call
      for count in 1..<left {
        connectionQueue.remove(jobs.removeFirst().call)
        #expect(first != nil, "\(count)")
      }
      connectionQueue.remove(jobs.removeFirst().call)
      #expect(first == nil)
      // The others have kept their order, and with the last of them the line is empty.
      for job in jobs {
        connectionQueue.leave(line)
        #expect(connectionQueue.nextJob(line) === job)
      }
      connectionQueue.leave(line)
      #expect(connectionQueue.nextJob(line) == nil)
      #expect(connectionQueue.begin(try job()) != nil)
    }

    @Test("An empty queue is free again, even if its waiting call left")
    func empty() throws {
      let line = try #require(connectionQueue.begin(try job()))
      weak var held: EngineCall?
      do {
        let gone = try job()
        held = gone.call
        #expect(connectionQueue.begin(gone) == nil)
        connectionQueue.remove(gone.call)
      }
      connectionQueue.leave(line)
      #expect(held == nil)
      #expect(connectionQueue.begin(try job()) != nil)
      #expect(connectionQueue.begin(try job()) == nil)
    }

    @Test(
      "A multiplexing connection serves a hundred calls, or as many as there are connections",
      arguments: [(1, 100), (99, 100), (101, 101)])
    func multiplexing(slots: Int, most: Int) throws {
      let connectionQueue = CurlConnectionQueue(ConnectionShare(connections: slots))
      let line = try #require(connectionQueue.begin(try job()))
      line.noteConnection(servesMany: true)
      for _ in 1..<most { #expect(connectionQueue.begin(try job()) != nil) }
      let next = try job()
      #expect(connectionQueue.begin(next) == nil)
      connectionQueue.leave(line)
      #expect(connectionQueue.nextJob(line) === next)
      #expect(connectionQueue.nextJob(line) == nil)
      // When all have left, the server may speak another version.
      for _ in 0..<most { connectionQueue.leave(line) }
      for _ in 0..<slots { #expect(connectionQueue.begin(try job()) != nil) }
      #expect(connectionQueue.begin(try job()) == nil)
    }

    @Test("A line that becomes wider with waiting calls is named once")
    func widened() throws {
      let line = try #require(connectionQueue.begin(try job()))
      #expect(connectionQueue.takeWidened().isEmpty)
      let waiting = try job()
      #expect(connectionQueue.begin(waiting) == nil)
      for _ in 0..<2 { line.noteConnection(servesMany: true) }
      let widened = connectionQueue.takeWidened()
      #expect(widened.count == 1)
      #expect(widened.first == line)
      #expect(connectionQueue.takeWidened().isEmpty)
      #expect(connectionQueue.nextJob(line) === waiting)
      // Nobody waits in this one.
      let other = try #require(connectionQueue.begin(try job(url: "http://b.example/")))
      other.noteConnection(servesMany: true)
      #expect(connectionQueue.takeWidened().isEmpty)
      #expect(connectionQueue.begin(try job(url: "http://b.example/")) == other)
    }

    @Test("An urgent call has a place of its own, and passes the calls that wait")
    func urgent() throws {
      let line = try #require(connectionQueue.begin(try job()))
      let usual = try job()
      #expect(connectionQueue.begin(usual) == nil)
      #expect(connectionQueue.begin(try job(isUrgent: true)) == line)
      let urgent = try job(isUrgent: true)
      #expect(connectionQueue.begin(urgent) == nil)
      #expect(connectionQueue.nextJob(line) == nil)
      connectionQueue.leave(line)
      #expect(connectionQueue.nextJob(line) === urgent)
      // Its place is not for others.
      connectionQueue.leave(line)
      #expect(connectionQueue.nextJob(line) == nil)
      connectionQueue.leave(line)
      #expect(connectionQueue.nextJob(line) === usual)
    }

    @Test("An urgent call that waits can leave")
    func urgentLeaves() throws {
      connectionQueue.hold(true)
      let (usual, urgent) = (try job(), try job(isUrgent: true))
      for job in [usual, urgent] { #expect(connectionQueue.begin(job) == nil) }
      #expect(connectionQueue.remove(urgent.call) === urgent)
      connectionQueue.hold(false)
      let line = try #require(connectionQueue.waitingLines().first)
      #expect(connectionQueue.nextJob(line) === usual)
      #expect(connectionQueue.nextJob(line) == nil)
    }

    @Test("64 empty queues are kept")
    func emptyLines() throws {
      var last: CurlConnectionQueue.Line?
      for number in 0..<65 {
        let line = try #require(connectionQueue.begin(try job(url: "http://h\(number).example/")))
        last = line
        connectionQueue.leave(line)
      }
      let anew = try #require(connectionQueue.begin(try job(url: "http://h64.example/")))
      #expect(anew != last)
      connectionQueue.leave(anew)
      let known = try #require(connectionQueue.begin(try job(url: "http://h63.example/")))
      connectionQueue.leave(known)
      let again = try #require(connectionQueue.begin(try job(url: "http://h63.example/a")))
      #expect(known == again)
    }

    @Test("A call leaves exactly at its deadline, and the next deadline is known")
    func times() throws {
      let line = try #require(connectionQueue.begin(try job()))
      #expect(connectionQueue.nextDeadline == nil)
      let seconds = [9, 4, 2, 8, 3, 5, 7, 6, 10]
      let jobs = try seconds.map { try job($0) }
      let patient = try job()
      for job in jobs + [patient] { #expect(connectionQueue.begin(job) == nil) }
      for second in 2...10 {
        let due = Self.start + .seconds(second)
        #expect(connectionQueue.nextDeadline == due)
        #expect(connectionQueue.removeExpired(due - .nanoseconds(1)).isEmpty)
        let gone = connectionQueue.removeExpired(due)
        #expect(gone.count == 1)
        let index = try #require(seconds.firstIndex(of: second))
        #expect(gone.first === jobs[index])
      }
      #expect(connectionQueue.nextDeadline == nil)
      #expect(connectionQueue.removeExpired(Self.start + .seconds(100)).isEmpty)
      connectionQueue.leave(line)
      #expect(connectionQueue.nextJob(line) === patient)
    }

    @Test("An emptied room returns its waiting calls, and is free again")
    func removeAll() throws {
      let line = try #require(connectionQueue.begin(try job()))
      let waiting = try job(1)
      #expect(connectionQueue.begin(waiting) == nil)
      let told = connectionQueue.removeAll()
      #expect(told.count == 1)
      #expect(told.first === waiting)
      #expect(connectionQueue.nextDeadline == nil)
      #expect(connectionQueue.removeAll().isEmpty)
      connectionQueue.leave(line)
      #expect(connectionQueue.nextJob(line) == nil)
      #expect(connectionQueue.begin(try job()) != nil)
    }

    @Test(
      "A call's queue is that of its scheme, host and port; only https is secure",
      arguments: [
        ("http://a.example:81/b", "http://a.example:81", false),
        ("https://a.example?b/c", "https://a.example", true),
        ("HTTPS://A.example#B", "https://a.example", true),
        ("http://a.example", "http://a.example", false), ("http://s/", "http://s", false),
        ("HTTP://a.example/?b#c", "http://a.example", false),
      ])
    func origin(url: String, origin: String, isSecure: Bool) throws {
      let job = try job(5, url: url)
      #expect(job.origin == origin)
      #expect(job.isSecure == isSecure)
      #expect(job.deadline == Self.start + .seconds(5))
      #expect(try self.job(url: url).deadline == nil)
      #expect(job.url != nil)
    }
  }
#endif
