import Fixtures
import RESTKit
import RESTKitReports
import Testing

extension IntegrationTests {
  @Suite("Curl commands in the shells of this machine")
  struct CurlTests {
    /// A shell, and the seed of its requests.
    private static let shells = Array(CurlScript.shells.enumerated())
    private static let count = (10_000 + shells.count - 1) / shells.count

    @Test("The shells are sh, bash, dash and zsh")
    func all() {
      #expect(
        CurlScript.shells.map { $0.split(separator: "/").last } == ["sh", "bash", "dash", "zsh"])
    }

    @Test(
      "A server gets what 10,000 drawn requests have, through each shell",
      arguments: shells)
    func drawn(seed: Int, shell: String) throws {
      try CurlProof.run(seed: UInt64(seed + 1), requests: Self.count, in: shell) {
        $0.curlCommand(redaction: .none)
      }
    }
  }
}
