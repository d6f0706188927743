import Foundation
import RESTKit
import RESTKitAsyncHTTPClient
import RESTKitTesting
import Streams
import Testing

@Suite("AsyncHTTPClientTransport", .timeLimit(.minutes(5)))
struct AsyncHTTPClientTransportTests {
  @Test("It keeps what transports promise")
  func conformance() async throws {
    let report = try await TransportConformance("AsyncHTTPClientTransport") {
      AsyncHTTPClientTransport(limits: $0)
    }
    .check()
    #expect(report.kept == TransportRule.allCases)
  }
}
