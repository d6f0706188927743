import Foundation
import RESTKit
import Streams
import Testing

extension IntegrationTests {
  @Suite("Live streams with a slow subscriber", .timeLimit(.minutes(5)))
  struct LivePressure {
    private let topic = LiveAPI.topic()

    @Test("a subscriber without demand holds the server back", arguments: LiveWay.holding)
    func held(way: LiveWay) async throws {
      var events = try way.api().serverSentEvents(endpoint: "flood/\(topic)")
        .values(buffering: .prefetch(1)).makeAsyncIterator()
      for number in 1...100 { #expect(try await events.next()?.id == "\(number)") }
      // All buffers between the two are full.
      try await LiveAPI.waitForHold(of: topic)
      let sent = try await LiveAPI.log(of: topic).sent
      #expect(sent < 64 << 20)
      // Each event has 10 KB. The server continues before all sent events are read.
      for number in 101...(sent / 10_000 + 100) {
        #expect(try await events.next()?.id == "\(number)")
      }
      #expect(try await LiveAPI.log(of: topic).sent > sent)
    }

    #if os(Linux)
      @Test(
        "1 GiB of events, taken at 1 MB a second, uses less than 4 MiB of memory",
        arguments: LiveWay.holding)
      func memory(way: LiveWay) async throws {
        var events = try way.api().serverSentEvents(endpoint: "flood/\(topic)")
          .values(buffering: .prefetch(1)).makeAsyncIterator()
        // The one-time memory of a process is not part of a stream.
        for _ in 1...1_000 { _ = try await events.next() }
        let before = try Self.takenBytes
        var most = before
        let begin = ContinuousClock.now
        for number in 0..<400 {
          // 10 KB every hundredth of a second, independent of the machine's load.
          try await Task.sleep(until: begin + .milliseconds(10) * number, clock: .continuous)
          #expect(try await events.next()?.data.utf8.count == 10_000)
          most = max(most, try Self.takenBytes)
        }
        #expect(most - before < 4 << 20, "\((most - before) >> 10) KiB")
      }

      /// The memory that the process has taken, without the pages of its program, which are read
      /// when they are first used.
      ///
      /// Other tests take nothing meanwhile: one runs at a time.
      private static var takenBytes: Int {
        get throws {
          let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
            .split(separator: " ").compactMap { Int($0) }
          let (resident, ofFiles) = try #require(pages.count > 2 ? (pages[1], pages[2]) : nil)
          return (resident - ofFiles) * Int(sysconf(Int32(_SC_PAGESIZE)))
        }
      }
    #endif
  }
}
