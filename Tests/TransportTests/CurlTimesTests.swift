#if os(Linux)
  import StreamsTesting
  import Testing

  @testable import HTTPTransport
  @testable import RESTKit

  @Suite("The phases from libcurl's time marks")
  struct CurlTimesTests {
    /// Queued, name lookup, connect, TLS, sending, waiting and receiving, in milliseconds.
    private func phases(
      _ change: (inout CurlTimes) -> Void, _ location: SourceLocation = #_sourceLocation
    ) -> [Int] {
      var times = CurlTimes()
      change(&times)
      let metrics = times.metrics
      let sum = metrics.phases.reduce(Duration.zero) { $0 + $1.length }
      #expect(metrics.total == sum, sourceLocation: location)
      #expect(metrics.phases.count == 7, sourceLocation: location)
      #expect(metrics.isConnectionReused == times.isConnectionReused, sourceLocation: location)
      return metrics.phases.map { Int($0.length / .milliseconds(1)) }
    }

    private func milliseconds(_ count: Int) -> Duration { .milliseconds(count) }

    @Test("A new connection, with a name and TLS")
    func new() {
      let phases = phases { times in
        times.start = milliseconds(10)
        times.lookup = milliseconds(11)
        times.request = milliseconds(100)
        times.nameLookup = milliseconds(20)
        times.connect = milliseconds(50)
        times.secureConnect = milliseconds(89)
        times.handshake = milliseconds(70)
        times.preTransfer = milliseconds(90)
        times.startTransfer = milliseconds(150)
        times.total = milliseconds(170)
      }
      // libcurl's setup before the handshake is part of TLS.
      #expect(phases == [11, 19, 30, 40, 0, 60, 20])
    }

    @Test("A new connection without TLS and lookup counts earlier time as a wait")
    func cachedName() {
      let phases = phases { times in
        times.request = milliseconds(30)
        times.nameLookup = milliseconds(10)
        times.connect = milliseconds(29)
        times.preTransfer = milliseconds(30)
        times.startTransfer = milliseconds(70)
        times.total = milliseconds(75)
      }
      #expect(phases == [10, 0, 20, 0, 0, 40, 5])
    }

    @Test("An address needs no lookup, and does not wait for another call's handshake")
    func address() {
      // As from 8.x on: the marks count from before the wait.
      let phases = phases { times in
        times.lookup = milliseconds(60)
        times.request = milliseconds(100)
        times.nameLookup = milliseconds(60)
        times.connect = milliseconds(70)
        times.secureConnect = milliseconds(100)
        times.handshake = milliseconds(71)
        times.preTransfer = milliseconds(100)
        times.startTransfer = milliseconds(110)
        times.total = milliseconds(111)
      }
      #expect(phases == [60, 0, 10, 30, 0, 10, 1])
    }

    @Test("If libcurl counts from the end of a wait, the earlier time is a wait")
    func pending() {
      // As 7.88: the total counts from before the wait, the marks from behind it.
      let phases = phases { times in
        times.start = milliseconds(5)
        times.request = milliseconds(125)
        times.nameLookup = milliseconds(1)
        times.connect = milliseconds(2)
        times.secureConnect = milliseconds(60)
        times.handshake = milliseconds(68)
        times.preTransfer = milliseconds(60)
        times.startTransfer = milliseconds(110)
        times.total = milliseconds(200)
      }
      #expect(phases == [66, 0, 1, 58, 0, 50, 30])
    }

    @Test("A kept connection has no lookup, connection and TLS phases, with any marks")
    func reused() {
      let phases = phases { times in
        times.start = milliseconds(3)
        times.isConnectionReused = true
        times.nameLookup = milliseconds(7)
        times.connect = milliseconds(8)
        times.secureConnect = milliseconds(9)
        times.preTransfer = milliseconds(10)
        times.startTransfer = milliseconds(40)
        times.total = milliseconds(50)
      }
      #expect(phases == [13, 0, 0, 0, 0, 30, 10])
    }

    @Test("A resent request counts as waiting since the first time")
    func again() {
      let phases = phases { times in
        times.request = milliseconds(101)
        times.connect = milliseconds(1)
        times.preTransfer = milliseconds(1)
        times.startTransfer = milliseconds(21)
        times.total = milliseconds(130)
      }
      #expect(phases == [100, 0, 1, 0, 0, 20, 9])
    }

    @Test("A proxy's tunnel is part of the connection, and the handshake is the server's")
    func tunnel() {
      let phases = phases { times in
        times.request = milliseconds(138)
        times.hasTunnel = true
        times.connect = milliseconds(1)
        times.handshake = milliseconds(77)
        times.secureConnect = milliseconds(138)
        times.preTransfer = milliseconds(138)
        times.startTransfer = milliseconds(189)
        times.total = milliseconds(219)
      }
      #expect(phases == [0, 0, 77, 61, 0, 51, 30])
    }

    @Test("Without a mark the handshake begins when the connection is established")
    func otherTLS() {
      let phases = phases { times in
        times.hasTunnel = true
        times.connect = milliseconds(10)
        times.secureConnect = milliseconds(30)
        times.preTransfer = milliseconds(30)
        times.startTransfer = milliseconds(40)
        times.total = milliseconds(40)
      }
      #expect(phases == [0, 0, 10, 20, 0, 10, 0])
    }

    @Test("A body's phase ends with its last byte, and the wait for the response begins")
    func upload() {
      let phases = phases { times in
        times.isConnectionReused = true
        times.hasBody = true
        times.request = milliseconds(5)
        times.bodyEnd = milliseconds(65)
        times.response = milliseconds(95)
        times.preTransfer = milliseconds(5)
        // 7.88 marks the upload here.
        times.startTransfer = milliseconds(6)
        times.total = milliseconds(99)
      }
      #expect(phases == [5, 0, 0, 0, 60, 30, 4])
    }

    @Test("A response before the request's last byte has no wait")
    func slowUpload() {
      let phases = phases { times in
        times.isConnectionReused = true
        times.hasBody = true
        times.bodyEnd = milliseconds(80)
        times.response = milliseconds(20)
        times.total = milliseconds(90)
      }
      #expect(phases == [0, 0, 0, 0, 80, 0, 10])
    }

    @Test("A body that libcurl did not finish counts as sent until the response came")
    func cutUpload() {
      let phases = phases { times in
        times.isConnectionReused = true
        times.hasBody = true
        times.response = milliseconds(20)
        times.total = milliseconds(25)
      }
      #expect(phases == [0, 0, 0, 0, 20, 0, 5])
    }

    @Test("Without marks only the wait takes time")
    func nothing() {
      #expect(phases { _ in } == [0, 0, 0, 0, 0, 0, 0])
      #expect(phases { $0.start = milliseconds(7) } == [7, 0, 0, 0, 0, 0, 0])
      #expect(phases { $0.total = milliseconds(-7) } == [0, 0, 0, 0, 0, 0, 0])
    }

    private func times(_ generator: inout SeededGenerator) -> CurlTimes {
      func mark() -> Duration { .milliseconds(Int.random(in: -20...200, using: &generator)) }
      func someMark() -> Duration? { Bool.random(using: &generator) ? mark() : nil }
      var times = CurlTimes()
      times.start = max(mark(), .zero)
      times.lookup = someMark()
      times.handshake = someMark()
      times.request = someMark()
      times.bodyEnd = someMark()
      times.response = someMark()
      times.isConnectionReused = mark() > .zero
      times.hasBody = mark() > .zero
      times.hasTunnel = mark() > .zero
      times.nameLookup = mark()
      times.connect = mark()
      times.secureConnect = mark()
      times.preTransfer = mark()
      times.startTransfer = mark()
      times.total = mark()
      return times
    }

    @Test("With any marks, no phase is negative, and the phases add up")
    func anyMarks() {
      for seed in UInt64(0)..<2_000 {
        var generator = SeededGenerator(seed: seed)
        let metrics = times(&generator).metrics
        let lengths = [
          metrics.queued, metrics.nameLookup, metrics.connect, metrics.secureConnect,
          metrics.sending, metrics.waiting, metrics.receiving,
        ].compactMap { $0 }
        #expect(lengths.count == 7, "seed \(seed)")
        #expect(lengths.allSatisfy { $0 >= .zero }, "seed \(seed)")
        #expect(lengths.reduce(Duration.zero, +) == metrics.total, "seed \(seed)")
      }
    }

    @Test("Moments count from the beginning of the call")
    func timestamps() {
      let begin = ContinuousClock.now
      var timestamps = CurlTimestamps(start: begin + .milliseconds(1))
      timestamps.noteLookup(begin + .milliseconds(2))
      timestamps.noteHandshake(begin + .milliseconds(3))
      timestamps.noteRequest(begin + .milliseconds(4))
      timestamps.noteBodyEnd(begin + .milliseconds(5))
      timestamps.noteResponse(begin + .milliseconds(6))
      let times = CurlTimes(timestamps, since: begin)
      let marks = [
        times.lookup, times.handshake, times.request, times.bodyEnd, times.response,
      ].compactMap { $0 }
      #expect(times.start == .milliseconds(1))
      #expect(marks == (2...6).map { Duration.milliseconds($0) })
      #expect(CurlTimes(CurlTimestamps(), since: begin).start == .zero)
    }
  }
#endif
