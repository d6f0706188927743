// The examples of Docs/Testing.md and Docs/MigratingStubs.md. `TestingGuideTests` compares each region
// below with the block of the same name there.
import Foundation
import RESTKit
import RESTKitTesting
import RESTKitTestingTraits
import Streams
import StreamsTesting
import Testing
import XCTest

// snippet: xctest
class StubbedTestCase: XCTestCase {
  override func invokeTest() {
    StubTransport.verifyingAll {
      super.invokeTest()
    } report: { failure in
      XCTFail("\(failure)", file: failure.location.filePath, line: failure.location.line)
    }
  }
}
// end
