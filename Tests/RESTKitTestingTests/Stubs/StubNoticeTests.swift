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

    @Test("No notice appears if all stubs are used, the test is verified, or a call failed")
    func silent() async {
      let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
        try StubTransport(.text("1", for: "/a")).text("/a")
        _ = try? StubTransport(.text("1", for: "/a")).text("/x")
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
