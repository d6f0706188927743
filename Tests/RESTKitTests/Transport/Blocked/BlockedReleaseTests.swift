#if os(Linux)
  import Foundation
  import Testing

  @testable import RESTKit

  @Suite("What ends or is let go of while subscribers take long", .timeLimit(.minutes(1)))
  struct BlockedReleaseTests {
    @Test("The warning is no danger to a process whose error stream is closed")
    func closedErrorStream() async {
      await #expect(processExitsWith: .success) {
        close(STDERR_FILENO)
        CurlConfiguration().warn("They are held up.")
      }
    }
  }
#endif
