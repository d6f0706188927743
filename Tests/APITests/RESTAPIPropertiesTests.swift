import Fixtures
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

@testable import RESTKit

@Suite("The properties of an API, in any declared type", .leakFree)
struct RESTAPIPropertiesTests {
  private struct Orders: Endpoint {
    typealias Response = RESTResponse
    let path: ResourcePath = "orders"
  }

  /// Sees the API as its own type, even if it is given as `any RESTAPI`.
  private func open<API: RESTAPI>(
    _ api: API
  ) -> (any Transport, RetryPolicy?, TokenSession?, RedirectPolicy, [String]) {
    (api.transport, api.retry, api.session, api.redirects, api.secretHeaders)
  }

  @Test(
    "A call uses the API's transport, retry policy and session",
    arguments: APISpelling.allCases)
  func call(spelling: APISpelling) throws {
    let means = try APIMeans()
    let subscriber = TestSubscriber<RESTResponse, any Error>()
    spelling.api(means).publisher(for: Orders()).receive(subscriber: subscriber)
    means.scheduler.run()
    #expect(subscriber.values.map(\.statusCode) == [200])
    #expect(means.transport.values(of: "Authorization") == ["Bearer token", "Bearer token"])
  }

  @Test(
    "The properties read the same from `any RESTAPI` and in a generic function",
    arguments: APISpelling.allCases)
  func reading(spelling: APISpelling) throws {
    let means = try APIMeans()
    let api = spelling.api(means)
    #expect(api.transport as? ScriptedTransport === means.transport)
    #expect(api.retry?.generator is TopGenerator)
    #expect(api.session === means.session)
    let (transport, retry, session, _, _) = open(api)
    #expect(transport as? ScriptedTransport === means.transport)
    #expect(retry?.generator is TopGenerator)
    #expect(session === means.session)
  }

  @Test("The API itself has the properties in their declared types")
  func declared() throws {
    let means = try APIMeans()
    let api = ConcreteAPI(means)
    let session: TokenSession = api.session
    let attempts: Int = api.retry.maxAttempts
    #expect(api.transport.requests.isEmpty)
    #expect(session === means.session)
    #expect(attempts == means.retry.maxAttempts)
    // Where the requirement's type is asked for, they are still the API's.
    let transport: any Transport = api.transport
    let optional: TokenSession? = api.session
    #expect(transport as? ScriptedTransport === means.transport)
    #expect(optional === means.session)
  }

  private struct BareAPI: RESTAPI {
    let baseURL = APIMeans.baseURL
  }

  private struct StubbedAPI: RESTAPI {
    let baseURL = APIMeans.baseURL
    let transport = StubTransport()
    let redirects = RedirectPolicy.never
    let secretHeaders = ["X-Shop-Key"]
  }

  @Test("An undeclared property has its default")
  func defaults() {
    let (transport, retry, session, redirects, secretHeaders) = open(BareAPI())
    #expect(transport is SharedTransport)
    #expect(retry == nil)
    #expect(session == nil)
    #expect(redirects == .follow)
    #expect(secretHeaders == [])
    #expect(BareAPI().transport is SharedTransport)
    #expect(BareAPI().session == nil)
  }

  @Test("A declared property leaves the other defaults unchanged")
  func some() {
    let api: any RESTAPI = StubbedAPI()
    #expect(api.transport is StubTransport)
    #expect(api.redirects == .never)
    #expect(api.secretHeaders == ["X-Shop-Key"])
    #expect(api.retry == nil)
    #expect(api.session == nil)
  }
}
