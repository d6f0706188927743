import Fixtures
import Foundation
import Streams
import StreamsTesting
import Testing

@testable import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("A folder keeps responses for a road, and nothing with a secret", .leakFree)
struct DiskCacheRoadTests {
  /// A transport that says over which road its requests go.
  private struct RoadTransport: Transport {
    let inner: HeldTransport
    let identity: TransportIdentity

    func response(for request: URLRequest) -> AnyPublisher<RESTResponse, any Error> {
      inner.response(for: request)
    }
  }

  private let server = HeldTransport()
  private let bench: DiskBench

  init() throws {
    bench = try DiskBench()
  }

  /// An API with a cache in the folder, as in another process.
  private func api(over identity: TransportIdentity) throws -> TestAPI {
    let store = try bench.store()
    return CacheWorld.api(
      over: RoadTransport(inner: server, identity: identity),
      cache: HTTPCache(store: store, date: { CacheWorld.start }))
  }

  private func get(
    _ api: TestAPI, _ path: String = "a", query: QueryItems = [], _ fields: [String: String] = [:]
  ) -> TestSubscriber<RESTResponse, any Error> {
    let subscriber = TestSubscriber<RESTResponse, any Error>()
    api.get(endpoint: path, query: query) { $0.adding(fields) }.receive(subscriber: subscriber)
    return subscriber
  }

  private func answer(_ status: Int = 200, _ fields: HTTPHeaders = [:], body: String = "") {
    var fields = fields
    fields.append(name: "Cache-Control", value: "max-age=60")
    for place in server.open { server.answer(place, status, headers: fields, body: body) }
    bench.work.runAll()
  }

  @Test("The next process finds the responses of its own road, and no others")
  func roads() throws {
    let roads = [
      "", "address api.example.com:443:192.0.2.1", "address api.example.com:443:192.0.2.2",
    ]
    for road in roads {
      let api = try api(over: TransportIdentity(lasting: road))
      #expect(get(api).values.isEmpty)
      answer(body: road)
    }
    for road in roads {
      let api = try api(over: TransportIdentity(lasting: road))
      #expect(get(api).values.map(\.text) == [road])
    }
    #expect(bench.failures.all.isEmpty)
  }

  @Test("The system's network has the files of former versions")
  func plain() throws {
    _ = get(try api(over: .plain))
    answer(body: "kept")
    #expect(bench.exists(CacheKey(url: TestAPI.origin + "/a", partition: .anonymous)))
    #expect(
      bench.files == [
        CacheFileName(CacheKey(url: TestAPI.origin + "/a", partition: .anonymous)).path
      ])
  }

  @Test("A change over one road invalidates the responses over the others")
  func change() throws {
    let store = try bench.store()
    let cache = HTTPCache(store: store, date: { CacheWorld.start })
    let apis = ["", "one"].map { road in
      CacheWorld.api(
        over: RoadTransport(inner: server, identity: TransportIdentity(lasting: road)), cache: cache
      )
    }
    for api in apis { _ = get(api) }
    answer()
    #expect(apis.map { get($0).values.count } == [1, 1])
    apis[0].put(endpoint: "a", body: nil)
      .receive(subscriber: TestSubscriber<RESTResponse, any Error>())
    answer(204)
    #expect(apis.map { get($0).values.count } == [0, 0])
    answer()
  }

  @Test(
    "Over a transport that no other process knows, nothing is written, and the cache says so once")
  func ownRoad() throws {
    let api = try api(over: TransportIdentity())
    for path in ["a", "b"] {
      _ = get(api, path)
      answer(body: path)
      #expect(get(api, path).values.map(\.text) == [path])
    }
    #expect(bench.files.isEmpty)
    #expect(bench.failures.all.map(\.kind) == [.transportWithoutRoad])
    let words = bench.failures.all.map { "\($0)" }.joined()
    #expect(words.contains(bench.url.path) && words.contains("TransportIdentity(lasting:)"))
  }

  @Test(
    "A response to a request with a secret in a field or its URL stays in memory",
    arguments: [
      ([:], ["access_token": "s"]), ([:], ["page": "1", "Api%4Bey": "s"]),
      (["X-Auth-Token": "s"], [:]), (["Cookie": "s"], [:]), (["X-Tenant": "s"], [:]),
    ] as [([String: String], [String: String])])
  func secrets(fields: [String: String], query: [String: String]) throws {
    let api = try api(over: .plain)
    let path =
      query.isEmpty ? "a" : "a?" + query.map { "\($0.key)=\($0.value)" }.joined(separator: "&")
    let ask = {
      let subscriber = TestSubscriber<RESTResponse, any Error>()
      api.get(endpoint: "a") { request in
        var request = request.adding(fields)
        request.url = URL(string: "\(TestAPI.origin)/\(path)")
        return request
      }.receive(subscriber: subscriber)
      return subscriber
    }
    #expect(ask().values.isEmpty)
    answer(200, ["Vary": "X-Auth-Token"], body: "mine")
    #expect(ask().values.map(\.text) == ["mine"])
    #expect(bench.files.isEmpty)
    #expect(bench.failures.all.isEmpty)
  }

  @Test("A redirect to a signed URL is not written, nor the response behind it")
  func signed() throws {
    let api = try api(over: .plain)
    let asked = get(api)
    answer(302, ["Location": "https://files.example.com/1?X-Amz-Signature=canary"])
    answer(body: "canary")
    #expect(asked.values.map(\.text) == ["canary"])
    #expect(bench.files.isEmpty)
  }

  @Test("A redirect without a secret is written")
  func redirect() throws {
    _ = get(try api(over: .plain))
    answer(302, ["Location": "/b?page=2"])
    answer(body: "two")
    #expect(bench.files.count == 2)
  }
}
