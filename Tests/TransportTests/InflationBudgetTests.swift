#if os(Linux)
  import Fixtures
  import Foundation
  import RESTKitTesting
  import Testing

  @testable import HTTPTransport
  @testable import RESTKit

  @Suite("The budget for decoding a content coding", .timeLimit(.minutes(10)))
  struct InflationBudgetTests {
    private func fault(_ work: () throws(TransportError) -> Void) -> TransportError.Kind? {
      do throws(TransportError) {
        try work()
        return nil
      } catch {
        error.expectTrueWord()
        return error.kind
      }
    }

    @Test("The ratio applies to each stage, not only the last one")
    func stages() {
      var budget = InflationBudget(TransportLimits(), stages: 2)
      budget.begin(encoded: 10_000)
      #expect(
        fault { () throws(TransportError) in
          try budget.take(10_000, making: 2_500_000, at: 0)
          try budget.take(2_500_000, making: 2_500_000, at: 1)
        } == nil)
      #expect(
        fault { () throws(TransportError) in
          try budget.take(0, making: 1, at: 0)
        } == .limitExceeded(.expansionRatio))
    }

    @Test("A call's work is limited, regardless of any saved budget")
    func call() {
      var limits = TransportLimits()
      limits.expansionRatio = .max
      var budget = InflationBudget(limits, stages: 2)
      for _ in 0..<3 {
        budget.begin(encoded: 1)
        #expect(
          fault { () throws(TransportError) in
            try budget.take(1, making: 64 << 20, at: 0)
          } == nil)
      }
      #expect(
        fault { () throws(TransportError) in
          try budget.take(1, making: 1, at: 1)
        } == .limitExceeded(.expansionRatio))
    }

    @Test("Input without output is counted until output comes")
    func silence() {
      var budget = InflationBudget(TransportLimits(), stages: 2)
      budget.begin(encoded: 1 << 20)
      #expect(
        fault { () throws(TransportError) in
          try budget.take(1 << 20, making: 0, at: 1)
          try budget.take(1, making: 1, at: 1)
          try budget.take(1 << 20, making: 0, at: 1)
          try budget.take(1, making: 0, at: 0)
        } == nil)
      #expect(
        fault { () throws(TransportError) in
          try budget.take(1, making: 0, at: 1)
        } == .undecodableBody)
    }

    private func push(
      _ file: String, _ coding: String, while isWanted: () throws(TransportError) -> Void = {}
    ) throws -> TransportError? {
      let bytes = try Data(contentsOf: Corpus.folder.appending(path: file))
      let decoder = try #require(
        try ContentDecoder(["Content-Encoding": coding], limits: TransportLimits()))
      let result = bytes.withUnsafeBytes { bytes in
        Result { () throws(TransportError) in
          try decoder.push(bytes, while: isWanted) { _ in }
        }
      }
      switch result {
      case .success: return nil
      case .failure(let fault):
        fault.expectTrueWord()
        return fault
      }
    }

    @Test(
      "SEC-09: empty nested codings end at the budget",
      arguments: [
        ("empty-blocks.deflate", "deflate, deflate"), ("empty-members.gz", "gzip, gzip"),
        ("empty-blocks-thrice.deflate", "deflate, deflate"),
      ])
    func nested(file: String, coding: String) throws {
      var looks = 0
      let fault = try #require(
        try push(file, coding) { () throws(TransportError) in looks += 1 })
      #expect(
        [.limitExceeded(.expansionRatio), .undecodableBody].contains(fault.kind), "\(fault)")
      // Four mebibytes in pieces of 64 KiB at most, and one look for each empty member.
      #expect(looks < 60_000)
    }

    @Test("SEC-09: more than two codings are refused before anything is decoded")
    func three() throws {
      let coding = "deflate, deflate, deflate"
      #expect(throws: TransportError.self) {
        try ContentDecoder(["Content-Encoding": coding], limits: TransportLimits())
      }
    }

    @Test("A cancel is noticed in the middle of the decoding")
    func unwanted() throws {
      let fault = try push("empty-members.gz", "gzip, gzip") { () throws(TransportError) in
        throw TransportError(kind: .timedOut, mayHaveBeenProcessed: true)
      }
      #expect(fault?.kind == .timedOut)
    }

    @Test("SEC-09: endless empty members and empty blocks are abandoned, also in pieces")
    func endless() async throws {
      let blocks = Data((0..<3_000).flatMap { _ in [0, 0, 0, 0xFF, 0xFF] as [UInt8] })
      let member = Data(base64Encoded: "H4sIAAAAAAAAAwMAAAAAAAAAAAA=") ?? Data()
      try #require(member.count == 20)
      let members = Data((0..<1_000).flatMap { _ in member })
      for (coding, more) in [("deflate", blocks), ("gzip", members)] {
        let head = "HTTP/1.1 200 OK\r\nContent-Encoding: \(coding)\r\n\r\n"
        let server = try MockServer { _ in
          MockResponse(status: 200, delivery: .endless(Data(head.utf8), repeating: more))
        }
        defer { server.stop() }
        let engine = try EngineKind.curl.make(limits: TransportLimits())
        let whole = await engine.fault(EngineRequest(url: server.baseURL))
        #expect(whole?.kind == .undecodableBody, "\(coding)")
        var request = EngineRequest(url: server.baseURL)
        request.onEvent = { _ in .more }
        #expect(await engine.fault(request)?.kind == .undecodableBody, "\(coding) in pieces")
      }
    }

    @Test("SEC-09: an encoded body is not longer than a decoded one may be")
    func encodedLength() async throws {
      // One byte in each block of stored data keeps the stream from being silent.
      let block = Data(
        (0..<200).flatMap { _ in [0, 0, 0, 0xFF, 0xFF] as [UInt8] }
          + [0, 1, 0, 0xFE, 0xFF, 0x78])
      let head = "HTTP/1.1 200 OK\r\nContent-Encoding: deflate\r\n\r\n"
      let server = try MockServer { _ in
        MockResponse(status: 200, delivery: .endless(Data(head.utf8), repeating: block))
      }
      defer { server.stop() }
      let engine = try EngineKind.curl.make(maxBodyBytes: 1 << 20)
      let fault = await engine.fault(EngineRequest(url: server.baseURL))
      #expect(fault?.kind == .limitExceeded(.bodyBytes))
    }
  }
#endif
