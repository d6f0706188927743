import RESTKitTesting
import XCTest

// snippet: xctest
nonisolated class StubbedTestCase: XCTestCase {
  override func invokeTest() {
    StubTransport.verifyingAll {
      super.invokeTest()
    } report: { failure in
      XCTFail("\(failure)", file: failure.location.filePath, line: failure.location.line)
    }
  }
}
// end
