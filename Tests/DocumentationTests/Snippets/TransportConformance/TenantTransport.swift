import Foundation
import RESTKit
import RESTKitTesting
import Streams
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

// snippet: transport
/// Says in each request which tenant it is for.
struct TenantTransport: Transport {
  let inner: any Transport
  let tenant: String

  var limits: TransportLimits { inner.limits }
  var identity: TransportIdentity { inner.identity.adding("tenant \(tenant)") }

  func response(for request: URLRequest) -> AnyPublisher<RESTResponse, any Error> {
    inner.response(for: marked(request))
  }

  func events(
    for request: URLRequest, body: RequestBody?
  ) -> AnyPublisher<TransferEvent, any Error> {
    inner.events(for: marked(request), body: body)
  }

  private func marked(_ request: URLRequest) -> URLRequest {
    var request = request
    request.setValue(tenant, forHTTPHeaderField: "X-Tenant")
    return request
  }
}
// end

@Suite("The example of Docs/TransportConformance.md", .timeLimit(.minutes(10)))
struct TransportConformanceExamples {
  // snippet: test
  @Test("TenantTransport keeps the transport contract")
  func tenantTransport() async throws {
    try await TransportConformance("TenantTransport") { limits in
      TenantTransport(inner: URLSessionTransport(limits: limits), tenant: "acme")
    }
    .skipping(.headerLines, .packedCut, .twoLengths, because: "URLSession's, not ours")
    .waiting(.seconds(300))
    .check()
  }
  // end
}
