import Fixtures
import Foundation
import RESTKitTesting
import Streams
import Testing

@testable import RESTKit
@testable import RESTKitReports

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("SEC-11: the secrets that an API declares, in what its calls print and record")
struct DeclaredSecretsTests {
  private static let canary = "canary7f3a"

  /// Answers with what it was sent.
  private static let echo = AnsweringTransport { request in
    try RESTResponse(
      to: request, status: request.url?.path == "/v1/refused" ? 400 : 200,
      headers: [
        "Content-Type": "application/json", "X-Tenant": canary, "Cache-Control": "max-age=9",
      ],
      data: Data(#"{"tenant": "\#(canary)", "x_tenant": "\#(canary)"}"#.utf8))
  }

  private static func get(
    _ api: some RESTAPI, _ endpoint: String = "a"
  ) -> AnyPublisher<RESTResponse, any Error> {
    api.get(endpoint: "\(endpoint)", query: [URLQueryItem(name: "x-tenant", value: canary)]) {
      $0.adding("X-TENANT", canary)
    }
  }

  private static func session() throws -> TokenSession {
    let grant = ClosureGrant { _ in Fail(error: TestFailure()).eraseToAnyPublisher() }
    let session = TokenSession(grant: grant)
    try session.signIn(Credential(accessToken: "one"))
    return session
  }

  private static func dumped(_ value: Any) -> String {
    var text = ""
    dump(value, to: &text)
    return text
  }

  @Test("No text of a response or of its error tells a declared secret", arguments: [false, true])
  func texts(isSignedIn: Bool) async throws {
    let session = try isSignedIn ? Self.session() : nil
    let api = TestAPI(transport: Self.echo, secretHeaders: ["X-Tenant"], session: session)
    let response = try await Self.get(api).value
    #expect(response.headers["X-Tenant"] == Self.canary)
    let error = RESTError(unacceptable: try await Self.get(api, "refused").value)
    let head = try #require(error.response)
    for text in [
      "\(response.headers)", Self.dumped(response), "\(head)", Self.dumped(head),
      "\(error)", Self.dumped(error),
    ] {
      #expect(!text.contains(Self.canary))
    }
    #expect("\(response.headers)".contains("X-Tenant: <redacted>"))
    let other = try await Self.get(TestAPI(transport: Self.echo)).value
    #expect("\(other.headers)".contains(Self.canary))
  }

  @Test("The head of a response in pieces hides a declared secret, too")
  func pieces() async throws {
    let api = TestAPI(transport: Self.echo, secretHeaders: ["X-Tenant"])
    let events = try await api.events(endpoint: "a").collect().value
    #expect(events.contains { if case .head = $0 { true } else { false } })
    #expect(!Self.dumped(events).contains(Self.canary))
  }

  @Test(
    "A HAR file of an API's calls holds no declared secret, and that of another API's does",
    arguments: [false, true])
  func har(isSignedIn: Bool) async throws {
    let recorder = HARRecorder(Self.echo, redaction: .byNames(adding: ["tenant"]))
    let session = try isSignedIn ? Self.session() : nil
    let api = TestAPI(transport: recorder, secretHeaders: ["X-Tenant"], session: session)
    _ = try await Self.get(api).value
    _ = try await Self.get(api).cached(in: HTTPCache()).value
    _ = try await Self.get(api).coalesced().value
    _ = try await api.events(endpoint: "a").collect().value
    #expect(recorder.har.entries.count == 4)
    #expect(!String(decoding: recorder.har.data, as: UTF8.self).contains(Self.canary))
    let plain = HARRecorder(Self.echo, redaction: .byName)
    _ = try await Self.get(TestAPI(transport: plain)).value
    #expect(String(decoding: plain.har.data, as: UTF8.self).contains(Self.canary))
  }

  @Test("The entry of a cached response hides what calls before it have declared")
  func cached() async throws {
    let recorder = HARRecorder(Self.echo, redaction: .byNames(adding: ["tenant"]))
    let api = TestAPI(transport: recorder, secretHeaders: ["X-Tenant"])
    let cache = HTTPCache()
    for _ in 0..<2 { _ = try await Self.get(api).cached(in: cache).value }
    #expect(recorder.har.entries.map(\.isFromCache) == [false, true])
    #expect(!String(decoding: recorder.har.data, as: UTF8.self).contains(Self.canary))
  }

  @Test("The redaction of an API adds its names to those of the one list")
  func redaction() throws {
    let api = TestAPI(transport: Self.echo, secretHeaders: ["X-Tenant"])
    #expect(api.redaction == .byNames(adding: ["X-Tenant"]))
    #expect(TestAPI(transport: Self.echo).redaction == .byName)
    var request = URLRequest(url: try #require(URL(string: "https://h/a?x_tenant=canary7f3a&b=1")))
    request.setValue(Self.canary, forHTTPHeaderField: "x-tenant")
    request.setValue(Self.canary, forHTTPHeaderField: "X-Api-Key")
    let command = request.curlCommand(redaction: api.redaction)
    #expect(!command.contains(Self.canary) && command.contains("b=1"))
  }
}
