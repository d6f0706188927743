#if os(Linux)
  import Testing

  @testable import RESTKit

  @Suite("Starting and waiting calls with few connections")
  struct CurlWaitingRoomTests {
    private let library: CurlLibrary
    private let room = CurlWaitingRoom(slots: 1)

    init() throws { library = try CurlLibrary.load() }

    private static let start = ContinuousClock.now

    /// A call that waits for so many seconds at most.
    private func job(_ seconds: Int? = nil, url: String = "http://a.example/") throws -> CurlJob {
      let call = EngineCall(completion: { _ in }, onCancel: { _ in })
      let timeout = seconds.map { Duration.seconds($0) }
      return try CurlJob(
        EngineRequest(url: url, timeout: timeout), call, begin: Self.start, library: library)
    }

    @Test("A queue whose waiting call left is free again, and the next call begins at once")
    func passesTheGone() throws {
      let line = try #require(room.enter(try job()))
      let (gone, next) = (try job(), try job())
      for job in [gone, next] { #expect(room.enter(job) == nil) }
      room.remove(gone.call)
      room.leave(line)
      #expect(room.next(line) === next)
      room.leave(line)
      #expect(room.enter(try job()) != nil)
    }

    @Test("While the room is held no call begins; then each queue continues")
    func held() throws {
      let line = try #require(room.enter(try job()))
      let (first, second) = (try job(), try job())
      let other = try job(url: "http://b.example/")
      room.isHeld = true
      for job in [first, second, other] { #expect(room.enter(job) == nil) }
      room.leave(line)
      #expect(room.next(line) == nil)
      room.isHeld = false
      let begun = room.waitingLines.compactMap { room.next($0)?.origin }
      #expect(Set(begun) == [first.origin, other.origin])
      #expect(room.waitingLines.count == 1)
      room.leave(line)
      #expect(room.next(line) === second)
      #expect(room.waitingLines.isEmpty)
    }

    @Test(
      "A queue keeps at most 64 abandoned calls, or half of its length",
      arguments: [(waiting: 100, left: 65), (waiting: 140, left: 71)])
    func letsGo(waiting: Int, left: Int) throws {
      let line = try #require(room.enter(try job()))
      var jobs = try (0..<waiting).map { _ in try job() }
      for job in jobs { #expect(room.enter(job) == nil) }
      weak let first = jobs.first?.call
      for count in 1..<left {
        room.remove(jobs.removeFirst().call)
        #expect(first != nil, "\(count)")
      }
      room.remove(jobs.removeFirst().call)
      #expect(first == nil)
      // The others have kept their order, and with the last of them the line is empty.
      for job in jobs {
        room.leave(line)
        #expect(room.next(line) === job)
      }
      room.leave(line)
      #expect(room.next(line) == nil)
      #expect(room.enter(try job()) != nil)
    }

    @Test("An empty queue is free again, even if its waiting call left")
    func empty() throws {
      let line = try #require(room.enter(try job()))
      weak var held: EngineCall?
      do {
        let gone = try job()
        held = gone.call
        #expect(room.enter(gone) == nil)
        room.remove(gone.call)
      }
      room.leave(line)
      #expect(held == nil)
      #expect(room.enter(try job()) != nil)
      #expect(room.enter(try job()) == nil)
    }

    @Test(
      "A multiplexing connection serves a hundred calls, or as many as there are connections",
      arguments: [(1, 100), (99, 100), (101, 101)])
    func multiplexing(slots: Int, most: Int) throws {
      let room = CurlWaitingRoom(slots: slots)
      let line = try #require(room.enter(try job()))
      room.noteMultiplexing(line)
      for _ in 1..<most { #expect(room.enter(try job()) != nil) }
      let next = try job()
      #expect(room.enter(next) == nil)
      room.leave(line)
      #expect(room.next(line) === next)
      #expect(room.next(line) == nil)
      // When all have left, the server may speak another version.
      for _ in 0..<most { room.leave(line) }
      for _ in 0..<slots { #expect(room.enter(try job()) != nil) }
      #expect(room.enter(try job()) == nil)
    }

    @Test("64 empty queues are kept")
    func emptyLines() throws {
      weak var last: CurlWaitingRoom.Line?
      for number in 0..<65 {
        let line = try #require(room.enter(try job(url: "http://h\(number).example/")))
        last = line
        room.leave(line)
      }
      #expect(last == nil)
      let known = try #require(room.enter(try job(url: "http://h63.example/")))
      room.leave(known)
      let again = try #require(room.enter(try job(url: "http://h63.example/a")))
      #expect(known === again)
    }

    @Test("A call leaves exactly at its deadline, and the next deadline is known")
    func times() throws {
      let line = try #require(room.enter(try job()))
      #expect(room.nextDeadline == nil)
      let seconds = [9, 4, 2, 8, 3, 5, 7, 6, 10]
      let jobs = try seconds.map { try job($0) }
      let patient = try job()
      for job in jobs + [patient] { #expect(room.enter(job) == nil) }
      for second in 2...10 {
        let due = Self.start + .seconds(second)
        #expect(room.nextDeadline == due)
        #expect(room.removeExpired(due - .nanoseconds(1)).isEmpty)
        let gone = room.removeExpired(due)
        #expect(gone.count == 1)
        let index = try #require(seconds.firstIndex(of: second))
        #expect(gone.first === jobs[index])
      }
      #expect(room.nextDeadline == nil)
      #expect(room.removeExpired(Self.start + .seconds(100)).isEmpty)
      room.leave(line)
      #expect(room.next(line) === patient)
    }

    @Test("An emptied room returns its waiting calls, and is free again")
    func removeAll() throws {
      _ = room.enter(try job())
      let waiting = try job(1)
      #expect(room.enter(waiting) == nil)
      let told = room.removeAll()
      #expect(told.count == 1)
      #expect(told.first === waiting)
      #expect(room.nextDeadline == nil)
      #expect(room.removeAll().isEmpty)
      #expect(room.enter(try job()) != nil)
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
