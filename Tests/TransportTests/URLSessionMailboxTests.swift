import Fixtures
import Foundation
import Synchronization
import Testing

@testable import RESTKit

@Suite("The queue for the subscriber of a URLSession call", .timeLimit(.minutes(5)))
struct URLSessionMailboxTests {
  /// The allowance for a late thread, in bytes.
  private let late = Int(URLSessionMailbox.lateBytes)

  private func makeMailbox(limit: Int = 1_000) -> URLSessionMailbox {
    URLSessionMailbox(to: { _ in .more }, limit: limit)
  }

  /// The waiting events, in words, taken out by the delivering thread.
  private func drain(_ mailbox: inout URLSessionMailbox) -> [String] {
    var lines: [String] = []
    while let item = mailbox.next() {
      switch item {
      case .event(.sent(let count), _): lines.append("sent \(count)")
      case .event(.head(let head), _): lines.append("head \(head.status)")
      case .event(.chunk(let data), _): lines.append("chunk \(data.count)")
      case .end(.success, _): lines.append("end")
      case .end(.failure(let fault), _):
        lines.append("\(fault.kind)".prefix { $0 != "(" } + " \(fault.statusCode ?? 0)")
      }
    }
    return lines
  }

  private let head = EngineHead(status: 206, httpVersion: "", headers: [:])

  private var success: Result<EngineResponse, TransportError> {
    .success(
      EngineResponse(head: head, trailers: [:], body: Data(), timings: ExchangeMetrics()))
  }

  @Test("Events are delivered in order, then the end, by one thread")
  func order() {
    var mailbox = makeMailbox()
    #expect(mailbox.takeTurn() == false)
    #expect(mailbox.append(.sent(1)) == false)
    #expect(mailbox.takeTurn() == true)
    #expect(mailbox.append(.head(head)) == false)
    #expect(mailbox.append(.chunk(Data(count: 3))) == false)
    mailbox.finish(success)
    #expect(mailbox.takeTurn() == false)
    #expect(drain(&mailbox) == ["sent 1", "head 206", "chunk 3", "end"])
    #expect(mailbox.takeTurn() == false)
  }

  @Test("A returned turn is not needed before the next event")
  func turn() {
    var mailbox = makeMailbox()
    _ = mailbox.append(.head(head))
    #expect(mailbox.takeTurn() == true)
    #expect(drain(&mailbox) == ["head 206"])
    #expect(mailbox.takeTurn() == false)
    mailbox.finish(success)
    #expect(mailbox.takeTurn() == true)
    #expect(drain(&mailbox) == ["end"])
  }

  @Test("Nothing is delivered after the end, and of two ends the first one counts")
  func behindTheEnd() {
    var mailbox = makeMailbox()
    mailbox.finish(.failure(.engineClosed))
    mailbox.finish(success)
    #expect(mailbox.append(.chunk(Data(count: 3))) == false)
    #expect(drain(&mailbox) == ["engineUnavailable 0"])
    #expect(drain(&mailbox) == [])
  }

  @Test("Of successive waiting progress events only the latest is delivered")
  func progress() {
    var mailbox = makeMailbox()
    for count: Int64 in 1...3 { _ = mailbox.append(.sent(count)) }
    _ = mailbox.append(.head(head))
    for count: Int64 in 4...5 { _ = mailbox.append(.sent(count)) }
    #expect(drain(&mailbox) == ["sent 3", "head 206", "sent 5"])
    _ = mailbox.append(.sent(6))
    #expect(drain(&mailbox) == ["sent 6"])
  }

  @Test("A dropped call delivers nothing more, and its subscriber is released")
  func drop() {
    var mailbox = makeMailbox()
    _ = mailbox.append(.head(head))
    #expect(mailbox.takeTurn() == true)
    mailbox.finish(success)
    #expect(mailbox.drop() != nil)
    #expect(mailbox.drop() == nil)
    #expect(mailbox.append(.chunk(Data(count: 3))) == false)
    #expect(mailbox.note(.pause, after: .chunk(Data(count: 1_001))) == false)
    mailbox.finish(success)
    #expect(drain(&mailbox) == [])
    #expect(mailbox.takeTurn() == false)
  }

  @Test("Bytes without demand are limited, and counted anew after demand")
  func ahead() {
    var mailbox = makeMailbox(limit: 100)
    let piece = EngineEvent.chunk(Data(count: 50))
    var isTooMuch: [Bool] = []
    for flow: EngineFlow in [.pause, .pause, .more, .pause, .pause, .pause] {
      isTooMuch.append(mailbox.note(flow, after: piece))
    }
    #expect(isTooMuch == [false, false, false, false, false, true])
    #expect(drain(&mailbox) == ["limitExceeded 0"])
  }

  @Test("Waiting bytes are limited, beyond the allowance for a late thread")
  func waiting() {
    var mailbox = makeMailbox(limit: 100)
    _ = mailbox.append(.head(head))
    #expect(mailbox.append(.chunk(Data(count: late))) == false)
    #expect(mailbox.append(.chunk(Data(count: 100))) == false)
    #expect(mailbox.append(.chunk(Data(count: 1))) == true)
    #expect(mailbox.append(.chunk(Data(count: 1))) == false)
    #expect(drain(&mailbox) == ["limitExceeded 206"])
  }

  @Test("Bytes that were taken out do not count as waiting")
  func taken() {
    var mailbox = makeMailbox(limit: 100)
    for _ in 0..<3 {
      #expect(mailbox.append(.chunk(Data(count: late + 100))) == false)
      #expect(drain(&mailbox).count == 1)
    }
  }

  @Test("Bytes without demand and waiting bytes count together")
  func together() {
    var mailbox = makeMailbox(limit: 100)
    #expect(mailbox.note(.pause, after: .chunk(Data(count: 60))) == false)
    #expect(mailbox.append(.chunk(Data(count: late + 40))) == false)
    #expect(mailbox.append(.chunk(Data(count: 1))) == true)
  }

  @Test("Too many bytes are the fault of a complete call, and not of a failed one")
  func tooMuchAtTheEnd() {
    let piece = EngineEvent.chunk(Data(count: 101))
    var whole = makeMailbox(limit: 100)
    whole.finish(success)
    #expect(whole.note(.pause, after: piece) == true)
    #expect(drain(&whole) == ["limitExceeded 0"])
    var failed = makeMailbox(limit: 100)
    failed.finish(.failure(.engineClosed))
    #expect(failed.note(.pause, after: piece) == false)
    #expect(drain(&failed) == ["engineUnavailable 0"])
  }

  @Test("With more work than threads, later work waits for a thread to return")
  func threads() async throws {
    let threads = URLSessionDeliveryThreads(most: 2)
    let (lines, line) = AsyncStream.makeStream(of: String.self)
    try await Door.around { door in
      let returned = Counter()
      for _ in 0..<2 {
        threads.run {
          line.yield("blocked")
          door.pass()
          returned.add()
        }
      }
      threads.run { line.yield("behind \(returned.value)") }
      var seen: [String] = []
      for await line in lines {
        seen.append(line)
        if seen.count == 2 { door.letOnePass() }
        if seen.count == 3 { break }
      }
      #expect(seen == ["blocked", "blocked", "behind 1"])
    }
  }

  @Test("A thread without work leaves its place to the next")
  func threadsEnd() async {
    let threads = URLSessionDeliveryThreads(most: 1)
    let (lines, line) = AsyncStream.makeStream(of: Int.self)
    for number in 0..<100 {
      threads.run { line.yield(number) }
      for await seen in lines {
        #expect(seen == number)
        break
      }
    }
  }
}
