import Streams
import StreamsFixtures
import StreamsTesting
import Testing

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

@Suite("print, breakpoint, assertNoFailure, map with key paths", .leakFree)
struct PrintTests {
  struct Log: TextOutputStream, Sendable {
    let lines = Recording<String>()

    func write(_ string: String) {
      lines.add(string)
    }
  }

  struct Point: Sendable {
    let x: Int
    let y: Int
    var name = "p"
  }

  @Test("print writes a line for each signal, in both directions")
  func print() {
    let log = Log()
    let subscriber = TestSubscriber<Int, TestError>(demand: .max(1)) { _, _ in .max(4) }
    failing(1, 2).print("n", to: log).subscribe(subscriber)
    subscriber.request(.unlimited)
    #expect(
      log.lines.elements == [
        "n: receive subscription\n", "n: request max: (1)\n", "n: receive value: (1)\n",
        "n: request max: (4)\n", "n: receive value: (2)\n", "n: request max: (4)\n",
        "n: receive error: (first)\n",
      ])
    #expect(subscriber.kinds == ["subscription", "1", "2", "failure first"])
  }

  @Test("print without a prefix writes no colon, and prints the end and a cancel")
  func printPlain() {
    let log = Log()
    _ = finishing().print(to: log).played()
    #expect(
      log.lines.elements == [
        "receive subscription\n", "request unlimited\n", "receive finished\n",
      ])
    let cancelled = Log()
    PassthroughSubject<Int, Never>().print(to: cancelled).sink { _ in }.cancel()
    #expect(
      cancelled.lines.elements == [
        "receive subscription\n", "request unlimited\n", "receive cancel\n",
      ])
  }

  @Test("C-1: print writes one line at a time, also from inside a line")
  func printReentrant() {
    let log = Log()
    let subject = PassthroughSubject<Int, Never>()
    struct Echo: TextOutputStream, Sendable {
      let log: Log
      let subject: PassthroughSubject<Int, Never>

      func write(_ string: String) {
        log.write("<" + string)
        if string.contains("(1)") { subject.send(2) }
        log.write(">")
      }
    }
    let cancellable = subject.print(to: Echo(log: log, subject: subject)).sink { _ in }
    subject.send(1)
    cancellable.cancel()
    let text = log.lines.elements.joined()
    #expect(text.contains("<receive value: (1)\n><receive value: (2)\n>"))
  }

  @Test("breakpoint stops if a closure returns true")
  func breakpoint() async {
    await #expect(processExitsWith: .signal(SIGTRAP)) {
      _ = finishing(1).breakpoint(receiveSubscription: { _ in true }).played()
    }
    await #expect(processExitsWith: .signal(SIGTRAP)) {
      _ = finishing(1, 2).breakpoint(receiveOutput: { $0 == 2 }).played()
    }
    await #expect(processExitsWith: .signal(SIGTRAP)) {
      _ = failing(1).breakpoint(receiveCompletion: { $0 == .failure(.first) }).played()
    }
  }

  @Test("breakpoint and breakpointOnError do not stop without a reason")
  func noBreakpoint() {
    #expect(finishing(1).breakpoint(receiveOutput: { $0 > 1 }).played() == ["1", "finished"])
    #expect(finishing(1).breakpointOnError().played() == ["1", "finished"])
  }

  @Test("A breakpoint that a debugger continues changes nothing")
  func goesOn() async {
    await #expect(processExitsWith: .success) {
      signal(SIGTRAP, SIG_IGN)
      let stream = finishing(1, 2).breakpoint(receiveOutput: { $0 == 1 })
      #expect(stream.played() == ["1", "2", "finished"])
    }
  }

  @Test("breakpointOnError raises SIGTRAP when the publisher fails")
  func breakpointOnError() async {
    await #expect(processExitsWith: .signal(SIGTRAP)) {
      _ = Fail(outputType: Int.self, failure: TestError.first).breakpointOnError().played()
    }
  }

  @Test("assertNoFailure passes on a stream that does not fail")
  func assertNoFailure() {
    let subscriber = TestSubscriber<Int, Never>()
    finishing(1, 2).assertNoFailure().subscribe(subscriber)
    #expect(subscriber.kinds == ["subscription", "1", "2", "finished"])
  }

  @Test("assertNoFailure ends the process with the error, the file and the line")
  func assertNoFailureTraps() async throws {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      _ = Fail(outputType: Int.self, failure: TestError.second)
        .assertNoFailure("account", file: "Account.swift", line: 42).played()
    }
    let message = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(message.contains("Account.swift:42"))
    #expect(message.contains("account: second"))
  }

  @Test("map takes two and three properties by their key paths")
  func keyPaths() {
    let points = [Point(x: 1, y: 2), Point(x: 3, y: 4, name: "q")].publisher
    #expect(points.map(\.x, \.y).played() == ["(1, 2)", "(3, 4)", "finished"])
    #expect(
      points.map(\.name, \.y, \.x).played() == [#"("p", 2, 1)"#, #"("q", 4, 3)"#, "finished"])
  }
}
