#if os(Linux)
  import Testing

  @testable import RESTKit

  @Suite("Who begins and who waits, where connections are few")
  struct CurlWaitingRoomTests {
    private let library: CurlLibrary
    private let room = CurlWaitingRoom(slots: 1)

    init() throws { library = try CurlLibrary.load() }

    private func job() throws -> CurlJob {
      let call = EngineCall(completion: { _ in }, onCancel: { _ in })
      return try CurlJob(
        EngineRequest(url: "http://a.example/"), call, begin: .now, library: library)
    }

    @Test("A line that was passed by one who had left is as good as new: the next begins at once")
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

    @Test(
      "Of those who left, a line keeps no more than 64, or half of it",
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
  }
#endif
