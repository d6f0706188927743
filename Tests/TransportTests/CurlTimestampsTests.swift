#if os(Linux)
  import Testing

  @testable import HTTPTransport
  @testable import RESTKit

  @Suite("The timestamps of a call that libcurl does not measure")
  struct CurlTimestampsTests {
    private let start = ContinuousClock.now

    private func after(_ milliseconds: Int) -> ContinuousClock.Instant {
      start + .milliseconds(milliseconds)
    }

    @Test("The first lookup counts, and the last handshake, which is the server's behind a proxy")
    func counted() {
      var timestamps = CurlTimestamps(start: start)
      for time in 1...2 {
        timestamps.noteLookup(after(time))
        timestamps.noteHandshake(after(time + 2))
      }
      #expect(timestamps.lookup == after(1))
      #expect(timestamps.handshake == after(4))
    }

    @Test("A resent request forgets the timestamps before the unanswered one")
    func again() {
      var timestamps = CurlTimestamps(start: start)
      timestamps.noteLookup(after(1))
      timestamps.noteHandshake(after(2))
      timestamps.noteRequest(after(3))
      #expect(timestamps.lookup == after(1) && timestamps.handshake == after(2))
      timestamps.noteBodyEnd(after(4))
      timestamps.noteResponse(after(5))
      timestamps.noteRequest(after(6))
      #expect(timestamps.request == after(6))
      #expect(timestamps.lookup == nil && timestamps.handshake == nil)
      #expect(timestamps.bodyEnd == nil && timestamps.response == nil)
    }

    @Test("A resent request has its own lookup and handshake")
    func ownConnection() {
      var timestamps = CurlTimestamps(start: start)
      timestamps.noteRequest(after(1))
      timestamps.noteLookup(after(2))
      timestamps.noteHandshake(after(3))
      timestamps.noteRequest(after(4))
      #expect(timestamps.lookup == after(2) && timestamps.handshake == after(3))
      #expect(timestamps.start == start)
    }
  }
#endif
