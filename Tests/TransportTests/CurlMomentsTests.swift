#if os(Linux)
  import Testing

  @testable import RESTKit

  @Suite("The moments of a call that libcurl does not measure")
  struct CurlMomentsTests {
    private let start = ContinuousClock.now

    private func after(_ milliseconds: Int) -> ContinuousClock.Instant {
      start + .milliseconds(milliseconds)
    }

    @Test("The first lookup counts, and the last handshake, which is the server's behind a proxy")
    func counted() {
      var moments = CurlMoments(start: start)
      for time in 1...2 {
        moments.noteLookup(after(time))
        moments.noteHandshake(after(time + 2))
      }
      #expect(moments.lookup == after(1))
      #expect(moments.handshake == after(4))
    }

    @Test("A resent request forgets the moments before the unanswered one")
    func again() {
      var moments = CurlMoments(start: start)
      moments.noteLookup(after(1))
      moments.noteHandshake(after(2))
      moments.noteRequest(after(3))
      #expect(moments.lookup == after(1) && moments.handshake == after(2))
      moments.noteBodyEnd(after(4))
      moments.noteResponse(after(5))
      moments.noteRequest(after(6))
      #expect(moments.request == after(6))
      #expect(moments.lookup == nil && moments.handshake == nil)
      #expect(moments.bodyEnd == nil && moments.response == nil)
    }

    @Test("A resent request has its own lookup and handshake")
    func ownConnection() {
      var moments = CurlMoments(start: start)
      moments.noteRequest(after(1))
      moments.noteLookup(after(2))
      moments.noteHandshake(after(3))
      moments.noteRequest(after(4))
      #expect(moments.lookup == after(2) && moments.handshake == after(3))
      #expect(moments.start == start)
    }
  }
#endif
