import Foundation
import RESTKit
import RESTKitTesting
import Streams
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A client that works, and the ways in which it is broken.
private enum Mutation: CaseIterable {
  case none, dropsHeader, sendsTwice, logsToken, skipsRefresh, changesBody, wrongOrder, addsQuery
}

private struct MutantClient {
  let mutation: Mutation
  let api: API

  struct API: RESTAPI {
    let baseURL = base
    let transport: any Transport
  }

  /// Places an order: refused first, then a refresh, the order again, and a line of a log.
  func run() async throws {
    let order = Data((mutation == .changesBody ? #"{"n": 2}"# : #"{"n": 1}"#).utf8)
    _ = try await place(order, token: "expired").value
    if mutation == .wrongOrder { try await log("refreshed") }
    if mutation != .skipsRefresh {
      _ = try await api.post(endpoint: "refresh", body: nil).validateStatus().value
    }
    _ = try await place(order, token: "fresh").validateStatus().value
    if mutation == .sendsTwice { _ = try await place(order, token: "fresh").value }
    if mutation != .wrongOrder { try await log(mutation == .logsToken ? "with fresh" : "placed") }
  }

  private func place(_ order: Data, token: String) -> AnyPublisher<RESTResponse, any Error> {
    let query: QueryItems = mutation == .addsQuery ? ["debug": "1"] : []
    return api.post(endpoint: "orders", query: query, body: .data(order)) { request in
      mutation == .dropsHeader ? request : request.addingBearerAuthorization(token: token)
    }
  }

  private func log(_ line: String) async throws {
    _ = try await api.post(endpoint: "log", body: .data(Data(line.utf8))).value
  }
}

@Suite("ST-15: A broken client does not pass")
struct StubMutationTests {
  private static func stubs(over carrier: (any Transport)?) throws -> StubTransport {
    func order(_ token: String) -> StubRequest {
      StubRequest(.post, urlString: base + "/orders").query([:]).jsonBody(#"{"n": 1}"#)
        .header("Authorization", "Bearer \(token)")
    }
    let script = StubAPIResponse(request: order("expired"), statusCode: 401)
      .thenRespondWith(
        request: StubRequest(.post, path: "/v1/refresh").withoutHeader("Authorization")
      )
      .thenRespondWith(request: order("fresh"), statusCode: 201)
      .thenRespondWith(request: StubRequest(.post, path: "/v1/log")).always()
      .thenVerifyRequest { request in
        let line = String(decoding: request.httpBody ?? Data(), as: UTF8.self)
        if line.contains("fresh") { throw TestFailure(description: "the token is in the log") }
      }
    return try carrier.map { try StubTransport(script, over: $0, hidesSecrets: true) }
      ?? StubTransport(script, hidesSecrets: true)
  }

  @Test(
    "The harness notices every mutation, and reports none without one",
    arguments: Mutation.allCases)
  private func mutant(mutation: Mutation) async throws {
    for carrier in [nil, .shared] as [(any Transport)?] {
      var failures: [StubFailure] = []
      try await StubTransport.verifyingAll {
        let stubs = try Self.stubs(over: carrier)
        // A client may survive a fault that the harness has noticed.
        try? await MutantClient(mutation: mutation, api: .init(transport: stubs)).run()
      } report: {
        failures.append($0)
      }
      #expect(failures.isEmpty == (mutation == .none), "\(failures)")
      #expect(!failures.map(\.description).joined().contains("Bearer"))
      switch mutation {
      case .none: break
      case .logsToken: #expect(failures.map(\.kind) == [.verificationFailed])
      default: #expect(failures.first?.kind == .unmatchedRequest)
      }
    }
  }
}
