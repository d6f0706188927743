import Foundation
import RESTKit
import RESTKitTesting
import Testing

#if os(Linux) || os(macOS)
  @Suite("A transport released without verification reports on standard error")
  struct StubNoticeTests {
    private func text(_ result: ExitTest.Result?) -> String {
      String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    }

    @Test("Unused stubs are named when the transport is released")
    func unused() async {
      let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
        _ = StubTransport(
          StubAPIResponse(
            request: .get("/a"), statusCode: 404, fileID: "ShopTests/OrderTests.swift", line: 12),
          fileID: "ShopTests/OrderTests.swift", line: 10)
      }
      #expect(
        text(result).contains(
          """
          The StubTransport at ShopTests/OrderTests.swift:10 was released and never verified.
          No request came for:
            GET https://api.example.com/v1/a → 404 (ShopTests/OrderTests.swift:12)
          Use the trait .stubs, or call verify() at the end of the test.

          """))
    }

    @Test("Unmatched requests are named, too, beside the unused stubs")
    func unmatched() async {
      let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
        let stubs = StubTransport(
          StubAPIResponse(
            request: .get("/a"), fileID: "ShopTests/OrderTests.swift", line: 12),
          fileID: "ShopTests/OrderTests.swift", line: 10)
        for _ in 1...2 { _ = try? stubs.text("/x") }
      }
      #expect(
        text(result).contains(
          """
          The StubTransport at ShopTests/OrderTests.swift:10 was released and never verified.
          No stub for GET https://api.example.com/v1/x. See ShopTests/OrderTests.swift:12.
          No request came for:
            GET https://api.example.com/v1/a → 200 (ShopTests/OrderTests.swift:12)
          Use the trait .stubs, or call verify() at the end of the test.

          """))
    }

    @Test("A mismatch after verify, and one in a detached task's own transport, are named")
    func swallowed() async {
      let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
        do {
          let stubs = StubTransport()
          try stubs.verify()
          _ = try? stubs.text("/after")
        }
        await StubTransport.verifyingAll {
          await Task.detached { _ = try? StubTransport().text("/detached") }.value
        } report: { _ in
        }
      }
      #expect(text(result).contains("\nNo stub for GET https://api.example.com/v1/after. "))
      #expect(text(result).contains("\nNo stub for GET https://api.example.com/v1/detached. "))
    }

    @Test("What comes after the end of its test is written at once")
    func late() async {
      let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
        var kept: [StubTransport] = []
        StubTransport.verifyingAll {
          kept = [
            StubTransport(.text("1", for: "/a").optional()),
            StubTransport(
              StubAPIResponse(request: .get("/a")).optional()
                .thenVerifyRequest { _ in throw TestFailure(description: "too late") }),
          ]
        } report: { _ in
        }
        for stubs in kept { _ = try? stubs.text("/a") }
        _ = try? kept[0].text("/x")
      }
      let parts = text(result).components(separatedBy: "This came after the end of its test.\n")
      #expect(parts.count == 3)
      #expect(parts.dropFirst().first?.contains("/a fails the check at ") == true)
      #expect(parts.last?.hasPrefix("No stub for GET https://api.example.com/v1/x.\n") == true)
    }

    @Test("The conformance kit's own stubs give no notice")
    func kit() async {
      let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
        let report = await TransportConformance(ofStubs: "stubs").report(of: [.refusals])
        #expect(report.isConforming)
      }
      #expect(!text(result).contains("StubTransport"))
    }

    @Test("No notice appears if all stubs are used or the test is verified")
    func silent() async {
      let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
        try StubTransport(.text("1", for: "/a")).text("/a")
        _ = try? StubTransport(.text("1", for: "/a")).verify()
        _ = StubTransport(.text("1", for: "/a").optional())
        StubTransport.verifyingAll {
          _ = StubTransport(.text("1", for: "/a"))
        } report: { _ in
        }
      }
      #expect(!text(result).contains("StubTransport"))
    }

    @Test("A closed standard error stream does not end the process")
    func closed() async {
      await #expect(processExitsWith: .success) {
        _ = close(STDERR_FILENO)
        _ = StubTransport(.text("1", for: "/a"))
      }
    }

    @Test("A recording that was not written is reported")
    func recording() async {
      let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
        let stubs = try StubTransport.record(
          to: "/nowhere/orders.har", over: StubTransport(.text("1", for: "/a")), mode: .always)
        try stubs.text("/a")
      }
      #expect(
        text(result).contains("\nThe recording /nowhere/orders.har was not written.\nUse the trait")
      )
    }
  }
#endif
