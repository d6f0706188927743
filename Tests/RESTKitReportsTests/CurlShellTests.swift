import Fixtures
import RESTKit
import RESTKitReports
import Testing

@Suite(
  "SEC-12: curl commands in shells", .timeLimit(.minutes(10)),
  .enabled(if: CurlScript.hasCurl, "There is no curl on this machine."))
struct CurlShellTests {
  /// The integration tests run 10,000 of them.
  @Test("A server gets what drawn requests have, through each shell", arguments: CurlScript.shells)
  func drawn(shell: String) throws {
    try CurlProof.run(seed: 1, requests: 60, in: shell) { $0.curlCommand(redaction: .none) }
  }
}
