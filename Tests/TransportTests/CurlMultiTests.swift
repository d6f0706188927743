#if os(Linux)
  import CCurl
  import Foundation
  import Streams
  import Testing

  @testable import HTTPTransport
  @testable import RESTKit

  @Suite("The sockets and the timer of libcurl", .timeLimit(.minutes(10)), .serialized)
  struct CurlMultiTests {
    /// A notification that libcurl would have received.
    private struct Word: Equatable {
      let socket: Int32
      let ways: Int32

      static let timer = Word(socket: Int32(CCURL_SOCKET_TIMEOUT), ways: 0)
      static let all = Word(socket: -2, ways: 0)
    }

    private static let words = Lock<[Word]>([])
    /// The milliseconds that libcurl has left, where it is asked.
    private static let left = Lock(-1)

    private let bell: Int32
    private let multi: CurlMulti
    private static let input = Int32(CCURL_WATCH_IN)
    private static let removed = Int32(CCURL_POLL_REMOVE)

    init() throws {
      Self.words.withLock { $0 = [] }
      Self.left.withLock { $0 = -1 }
      let library = try CurlLibrary.posing()
      let table = UnsafeMutablePointer(mutating: library.api)
      table.pointee.multi_act = { _, socket, ways, _ in
        CurlMultiTests.words.withLock { $0.append(Word(socket: socket, ways: ways)) }
        return 0
      }
      table.pointee.multi_act_on_all = { _, _ in
        CurlMultiTests.words.withLock { $0.append(.all) }
        return 0
      }
      table.pointee.multi_timeout = { _, milliseconds in
        milliseconds?.pointee = CurlMultiTests.left.withLock { $0 }
        return 0
      }
      bell = ccurl_bell_open()
      multi = try CurlMulti.make(library, bell: bell)
    }

    /// Waits for as long as it takes, and returns what libcurl is told then.
    private func wait(milliseconds: Int32 = 60_000) -> [Word] {
      #expect(multi.wait(milliseconds: milliseconds))
      #expect(multi.act() == 0)
      return Self.words.withLock { words in
        defer { words = [] }
        return words
      }
    }

    private func end(_ sockets: Int32...) {
      multi.close()
      ccurl_bell_close(bell)
      for socket in sockets { close(socket) }
    }

    private func pair() -> (near: Int32, far: Int32) {
      var ends: [Int32] = [-1, -1]
      #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
      return (ends[0], ends[1])
    }

    @Test("A readable socket is reported on each wait until it is read")
    func ready() {
      let (near, far) = pair()
      multi.note(Self.input, for: near)
      #expect(wait(milliseconds: 0).isEmpty)
      #expect(send(far, "a", 1, 0) == 1)
      for _ in 0..<2 { #expect(wait() == [Word(socket: near, ways: Self.input)]) }
      end(near, far)
    }

    @Test("The bell ends a wait, once, and is not one of libcurl's sockets")
    func bellRings() {
      for _ in 0..<2 {
        ccurl_bell_ring(bell)
        #expect(wait().isEmpty)
      }
      let begin = ContinuousClock.now
      #expect(wait(milliseconds: 5).isEmpty)
      #expect(.now - begin >= .milliseconds(4))
      end()
    }

    @Test(
      "An unwatched socket that becomes readable wakes once, and is reported when it is watched")
    func unwanted() {
      let (near, far) = pair()
      multi.note(Self.input, for: near)
      multi.note(Self.removed, for: near)
      #expect(send(far, "a", 1, 0) == 1)
      #expect(wait().isEmpty)
      #expect(!multi.hasMore)
      multi.note(Self.input, for: near)
      #expect(wait() == [Word(socket: near, ways: Self.input)])
      end(near, far)
    }

    @Test("A reused socket number is watched anew")
    func reusedNumber() {
      let (near, far) = pair()
      multi.note(Self.input, for: near)
      multi.note(Self.removed, for: near)
      close(far)
      let (other, otherFar) = pair()
      #expect(dup2(other, near) == near)
      multi.note(Self.input, for: near)
      #expect(wait(milliseconds: 0).isEmpty)
      #expect(send(otherFar, "a", 1, 0) == 1)
      #expect(wait() == [Word(socket: near, ways: Self.input)])
      end(near, other, otherFar)
    }

    @Test(
      "A closed socket held by another process is soon ignored, and others are reported",
      arguments: [false, true])
    func heldElsewhere(isNumberReused: Bool) {
      let (near, far) = pair()
      let (other, otherFar) = pair()
      let (third, thirdFar) = pair()
      multi.note(Self.input, for: near)
      multi.note(Self.input, for: other)
      // As a child would hold it.
      let held = dup(near)
      multi.note(Self.removed, for: near)
      if isNumberReused {
        #expect(dup2(third, near) == near)
        multi.note(Self.input, for: near)
      } else {
        close(near)
      }
      #expect(send(far, "a", 1, 0) == 1)
      for _ in 0..<2 { #expect(wait().isEmpty) }
      let begin = ContinuousClock.now
      #expect(wait(milliseconds: 5).isEmpty)
      #expect(.now - begin >= .milliseconds(4))
      #expect(send(otherFar, "a", 1, 0) == 1)
      #expect(wait() == [Word(socket: other, ways: Self.input)])
      end(held, far, other, otherFar, third, thirdFar)
      if isNumberReused { close(near) }
    }

    @Test("A descriptor that the kernel cannot watch counts as ready while it is watched")
    func unwatched() {
      let file = open("/dev/null", O_RDONLY)
      multi.note(Self.input, for: file)
      for _ in 0..<2 { #expect(wait() == [Word(socket: file, ways: Self.input)]) }
      multi.note(Self.removed, for: file)
      #expect(wait(milliseconds: 0).isEmpty)
      end(file)
    }

    @Test("After a wait without an event libcurl checks all, while there are TLS transfers")
    func doubt() throws {
      let easy = try #require(try CurlLibrary.load().api.pointee.easy_init())
      for isSecure in [true, false] {
        #expect(multi.add(easy, isSecure: isSecure) == 0)
        // libcurl's requests for the transfer are not served.
        multi.note(milliseconds: -1)
        #expect(wait(milliseconds: 20) == (isSecure ? [.all] : []))
        #expect(wait(milliseconds: 0).isEmpty)
        multi.remove(easy)
        multi.note(milliseconds: -1)
      }
      end()
    }

    @Test("The timer ends a wait, and fires again if libcurl has more to do")
    func timer() {
      multi.note(milliseconds: 3)
      #expect(!multi.hasMore)
      for left in [2, 0, -1] {
        Self.left.withLock { $0 = left }
        #expect(wait() == [.timer])
      }
      multi.note(milliseconds: 3)
      multi.note(milliseconds: -1)
      #expect(wait(milliseconds: 5).isEmpty)
      multi.note(milliseconds: 0)
      #expect(multi.hasMore)
      #expect(wait() == [.timer])
      end()
    }

    @Test("A fired timer is silent if libcurl has nothing more to do")
    func rungTimer() {
      multi.note(milliseconds: 0)
      #expect(wait() == [.timer])
      for _ in 0..<3 { #expect(wait(milliseconds: 5).isEmpty) }
      end()
    }
  }
#endif
