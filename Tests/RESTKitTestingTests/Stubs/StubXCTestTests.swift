import RESTKitTesting
import Streams
import XCTest

#if !canImport(Darwin)
  /// Runs the XCTest code of Docs/Testing.md, with a recorder in place of XCTest's own (ST-14).
  ///
  /// The test uses XCTest itself. XCTest waits for an asynchronous test in a loop, which would take
  /// a processor from tests that run at the same time.
  final class StubXCTestTests: XCTestCase {
    func testAFailureIsRecordedAtTheLineOfTheStubAndNoneWhereAllWentWell() {
      let line = #line + 2
      let failing = RecordedTestCase(name: "failing") { _ in
        _ = StubTransport(StubAPIResponse(request: .get("/a")))
      }
      failing.run()
      XCTAssertEqual(failing.recorded, ["\(#filePath):\(line)"])

      let passing = RecordedTestCase(name: "passing") { _ in
        try StubTransport(.text("1", for: "/a")).text("/a")
      }
      passing.run()
      XCTAssertEqual(passing.recorded, [])
    }

    func testTheFailuresOfAnAsynchronousTestAreRecordedToo() {
      let line = #line + 3
      let test = RecordedTestCase(name: "asynchronous") { test in
        try asyncTest { (_: XCTestCase) in
          { _ = StubTransport(StubAPIResponse(request: .get("/a"))) }
        }(test)()
      }
      test.run()
      XCTAssertEqual(test.recorded, ["\(#filePath):\(line)"])
    }
  }

  private final class RecordedTestCase: StubbedTestCase {
    var recorded: [String] = []

    override func recordFailure(
      withDescription description: String, inFile filePath: String, atLine lineNumber: Int,
      expected: Bool
    ) {
      recorded.append("\(filePath):\(lineNumber)")
    }
  }
#endif
