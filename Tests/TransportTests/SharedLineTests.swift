#if os(Linux)
  import StreamsTesting
  import Synchronization
  import Testing

  @testable import HTTPTransport
  @testable import RESTKit

  @Suite("The line of an origin whose places are at several loops", .timeLimit(.minutes(10)))
  struct SharedLineTests {
    private let library: CurlLibrary
    private let queue = Self.queue(connections: 6)

    init() throws { library = try CurlLibrary.load() }

    private static func queue(
      _ loops: Int = 2, connections: Int, patience: Duration? = nil
    ) -> CurlConnectionQueue {
      CurlConnectionQueue(
        ConnectionShare(loops: loops, connections: connections), patience: patience)
    }

    private func job(
      _ url: String = "http://a.example/", isUrgent: Bool = false, timeout: Duration? = nil
    ) throws -> CurlJob {
      var request = EngineRequest(url: url, timeout: timeout)
      request.isUrgent = isUrgent
      let call = EngineCall(completion: { _ in }, onCancel: { _ in })
      return try CurlJob(request, call, begin: .now, library: library)
    }

    /// Lets so many calls begin, and returns their places.
    private func fill(
      _ queue: CurlConnectionQueue, _ count: Int, near loop: Int? = nil
    ) throws -> [CurlConnectionQueue.Line] {
      try (0..<count).map { _ in try #require(queue.begin(try job(), near: loop)) }
    }

    @Test("A call that waits begins where a place comes free first, in the order of the calls")
    func order() throws {
      let places = try fill(queue, 6)
      #expect(places.map(\.loop).sorted() == [0, 0, 0, 1, 1, 1])
      let waiting = try (0..<3).map { _ in try job() }
      for job in waiting { #expect(queue.begin(job) == nil) }
      for (job, loop) in zip(waiting, [1, 0, 1]) {
        let place = try #require(places.first { $0.loop == loop })
        queue.leave(place)
        let next = try #require(queue.next(place))
        #expect(next.job === job)
        #expect(next.line.loop == loop)
        #expect(job.call.loop.load(ordering: .relaxed) == loop)
      }
    }

    @Test("The next loop begins when those before it have three calls, and then the least busy one")
    func lazy() throws {
      let queue = Self.queue(3, connections: 30)
      for _ in 0..<5 {
        let place = try #require(queue.begin(try job()))
        #expect(place.loop == 0)
        queue.leave(place)
      }
      let places = try fill(queue, 9)
      #expect(places.map(\.loop) == [0, 0, 0, 1, 1, 1, 2, 2, 2])
      queue.leave(places[4])
      #expect(try fill(queue, 4).map(\.loop) == [1, 0, 1, 2])
    }

    @Test("An origin's first call begins at a loop that is not busy, and the others stay there")
    func home() throws {
      let queue = Self.queue(connections: 30)
      _ = try fill(queue, 3)
      let other = "http://b.example/"
      let place = try #require(queue.begin(try job(other)))
      #expect(place.loop == 1)
      #expect(queue.begin(try job(other))?.loop == 1)
    }

    @Test("A call from a loop's thread begins there, unless the loop is busy and another is not")
    func near() throws {
      #expect(try fill(queue, 4, near: 1).map(\.loop) == [1, 1, 1, 0])
    }

    @Test("While a loop may begin no call, the others take them")
    func held() throws {
      queue.hold(true, 0)
      #expect(try fill(queue, 3).map(\.loop) == [1, 1, 1])
      let waiting = try job()
      #expect(queue.begin(waiting) == nil)
      queue.hold(false, 0)
      #expect(!queue.isHeld(0))
      let line = try #require(queue.waitingLines(at: 0).first)
      let next = try #require(queue.next(line))
      #expect(next.job === waiting)
      #expect(next.line.loop == 0)
    }

    @Test("An urgent call has one place more, over all loops")
    func urgent() throws {
      let places = try fill(queue, 6)
      #expect(queue.begin(try job()) == nil)
      let first = try #require(queue.begin(try job(isUrgent: true)))
      let second = try job(isUrgent: true)
      #expect(queue.begin(second) == nil)
      let other = try #require(places.first { $0.loop != first.loop })
      queue.leave(other)
      #expect(queue.nextJob(other) === second)
      #expect(queue.nextJob(other) == nil)
    }

    @Test("A call that waits wakes a loop if its time limit is the earliest, and only then")
    func wakes() throws {
      func wakes(_ timeout: Duration?) throws -> Int? {
        guard case .waits(let loop) = queue.enter(try job(timeout: timeout)) else {
          Issue.record("a place is free")
          return nil
        }
        return loop
      }
      _ = try fill(queue, 6)
      #expect(try wakes(nil) == nil)
      #expect(try wakes(.seconds(10)) == 0)
      #expect(try wakes(.seconds(20)) == nil)
      queue.hold(true, 0)
      #expect(try wakes(.seconds(5)) == 1)
      queue.hold(true, 1)
      #expect(try wakes(.seconds(1)) == 0)
    }

    @Test("A closed queue takes no call")
    func closed() throws {
      queue.close()
      guard case .closed = queue.enter(try job()) else {
        Issue.record("it took one")
        return
      }
    }

    @Test("The calls of all loops wait for one first connection, and then begin at all of them")
    func firstConnection() throws {
      let queue = Self.queue(connections: 6, patience: .seconds(1))
      let url = "https://a.example/"
      let first = try #require(queue.begin(try job(url)))
      #expect(first.loop == 0)
      for _ in 0..<6 { #expect(queue.begin(try job(url)) == nil) }
      #expect(queue.takeWidened(at: 0).isEmpty)
      first.noteConnection(servesMany: false)
      #expect(queue.takeWidened(at: 1).isEmpty)
      let line = try #require(queue.takeWidened(at: 0).first)
      // The other loop has no session to resume yet, so one of its calls makes the first one.
      let begun = (0..<6).compactMap { _ in queue.next(line)?.line }
      #expect(begun.map(\.loop) == [0, 0, 1])
      let second = try #require(begun.last)
      second.noteConnection(servesMany: false)
      #expect((0..<6).compactMap { _ in queue.next(second)?.line.loop } == [1, 1])
    }

    @Test("With HTTP/2 a loop takes a hundred calls, and the next one makes its own connection")
    func multiplexed() throws {
      let queue = Self.queue(connections: 6, patience: .seconds(1))
      let url = "https://a.example/"
      let first = try #require(queue.begin(try job(url)))
      first.noteConnection(servesMany: true)
      let loops = try (0..<4).map { _ in try #require(queue.begin(try job(url))).loop }
      // Once it is known that connections are shared, nobody waits for that of another loop.
      #expect(loops == [0, 0, 1, 0])
    }

    @Test("A first connection that fails, or takes too long, lets the calls of all loops begin")
    func noConnection() throws {
      for isLate in [false, true] {
        let queue = Self.queue(connections: 6, patience: .seconds(1))
        let first = try #require(queue.begin(try job("https://a.example/")))
        for _ in 0..<7 { #expect(queue.begin(try job("https://a.example/")) == nil) }
        if isLate {
          queue.endWaits(.now + .seconds(2), at: 1)
        } else {
          queue.leave(first)
        }
        let line = try #require(queue.takeWidened(at: isLate ? 1 : 0).first)
        let begun = (0..<8).compactMap { _ in queue.next(line)?.line.loop }
        #expect(begun.count == (isLate ? 5 : 6))
        #expect(Set(begun) == [0, 1])
      }
    }

    @Test(
      "Drawn calls take no place too many, leave none free while one waits, and begin in their order",
      arguments: 0..<200)
    func drawn(seed: UInt64) throws {
      var draws = SeededGenerator(seed: seed)
      let loops = Int.random(in: 1...4, using: &draws)
      let share = ConnectionShare(
        loops: loops, connections: Int.random(in: loops...8, using: &draws))
      let queue = CurlConnectionQueue(share)
      var begun: [(job: CurlJob, place: CurlConnectionQueue.Line)] = []
      var waiting: [CurlJob] = []
      var held: Set<Int> = []

      func goOn(_ line: CurlConnectionQueue.Line) {
        while let (job, place) = queue.next(line) {
          let next = waiting.firstIndex { $0.request.isUrgent } ?? waiting.startIndex
          // Urgent calls come first, the last of them before the others.
          #expect(job.request.isUrgent || waiting.indices.contains(next) && waiting[next] === job)
          waiting.removeAll { $0 === job }
          begun.append((job, place))
        }
      }

      for _ in 0..<200 {
        switch Int.random(in: 0..<8, using: &draws) {
        case 0...3:
          let job = try job(isUrgent: Int.random(in: 0..<16, using: &draws) == 0)
          let near = Bool.random(using: &draws) ? Int.random(in: 0..<loops, using: &draws) : nil
          let place = queue.begin(job, near: near)
          if let place { begun.append((job, place)) } else { waiting.append(job) }
        case 4, 5:
          guard let index = begun.indices.randomElement(using: &draws) else { continue }
          let (_, place) = begun.remove(at: index)
          queue.leave(place)
          goOn(place)
        case 6:
          guard let index = waiting.indices.randomElement(using: &draws) else { continue }
          let job = waiting.remove(at: index)
          #expect(queue.remove(job.call) === job)
          #expect(queue.remove(job.call) == nil)
        default:
          let loop = Int.random(in: 0..<loops, using: &draws)
          let isHeld = held.remove(loop) == nil
          if isHeld { held.insert(loop) }
          queue.hold(isHeld, loop)
          if !isHeld { for line in queue.waitingLines(at: loop) { goOn(line) } }
        }
        #expect(begun.count <= share.total + CurlConnectionQueue.keptSlots)
        #expect(begun.count { !$0.job.request.isUrgent } <= share.total)
        for loop in 0..<loops {
          let own = begun.filter { $0.place.loop == loop }
          let most = share.connections(of: loop)
          #expect(own.count <= most + CurlConnectionQueue.keptSlots)
          #expect(own.count { !$0.job.request.isUrgent } <= most)
          #expect(held.contains(loop) || waiting.isEmpty || own.count >= most)
        }
      }
    }
  }
#endif
