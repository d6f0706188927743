import Foundation
import RESTKit
import RESTKitTesting
import RESTKitTestingTraits
import Streams
import StreamsTesting
import Testing

@Suite("The examples and tables of Docs/Caching.md", .leakFree, .stubs)
struct CachingTests {
  private struct PlainAPI: RESTAPI {
    let baseURL = "https://shop.example/v1"
    let transport: any Transport
  }

  private let catalog = StubRequest(.get, urlString: "https://shop.example/v1/catalog")

  private func stubs(_ control: String, _ bodies: String...) -> StubTransport {
    let answers = bodies.map { body in
      StubAPIResponse(
        request: catalog, headers: ["Cache-Control": control], result: .json(body))
    }
    return StubTransport(
      answers.dropFirst().reduce(answers[0]) { script, _ in
        script.thenRespondWith(
          request: catalog, headers: ["Cache-Control": control], result: .json(bodies[1]))
      })
  }

  @Test("An API with a cache sends one request")
  func api() async throws {
    let api = Caching.ShopAPI(transport: stubs("max-age=60", #"[{"id": 7}]"#))
    for isHit in [false, true] {
      let response = try await api.get(endpoint: "catalog").value
      #expect(response.cacheStatus?.isHit == isHit)
    }
  }

  @Test("A pipeline with a cache sends one request")
  func pipeline() async throws {
    let caching = Caching(api: PlainAPI(transport: stubs("max-age=60", #"[{"id": 7}]"#)))
    let cache = HTTPCache()
    for _ in 1...2 {
      #expect(try await caching.catalog(in: cache).value == [.init(id: 7)])
    }
  }

  @Test("An endpoint's pipeline with a cache sends one request")
  func endpoint() async throws {
    let caching = Caching(api: PlainAPI(transport: stubs("max-age=60", #"[{"id": 7}]"#)))
    let cache = HTTPCache()
    for _ in 1...2 {
      #expect(try await caching.items(in: cache).value == [.init(id: 7)])
    }
  }

  @Test("A cache in a folder returns the stored response")
  func folder() async throws {
    let folder = URL.temporaryDirectory.appending(path: "RESTKit-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let caching = Caching(api: PlainAPI(transport: stubs("max-age=60", #"[{"id": 7}]"#)))
    let cache = try caching.openCache(in: folder)
    for _ in 1...2 {
      #expect(try await caching.catalog(in: cache).value == [.init(id: 7)])
    }
  }

  @Test("After a removal, another cache of the folder finds nothing")
  func removal() async throws {
    let folder = URL.temporaryDirectory.appending(path: "RESTKit-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let transport = stubs("max-age=60", #"[{"id": 7}]"#, #"[{"id": 8}]"#)
    let caching = Caching(api: PlainAPI(transport: transport))
    let cache = try caching.openCache(in: folder)
    #expect(try await caching.catalog(in: cache).value == [.init(id: 7)])
    let profile = try #require(URL(string: "https://shop.example/v1/profile"))
    try await caching.signOff(from: cache, of: profile)
    let other = try caching.openCache(in: folder)
    #expect(try await caching.catalog(in: other).value == [.init(id: 8)])
  }

  @Test("The stale response comes first, and then the new one")
  func both() {
    let transport = stubs("max-age=0, stale-while-revalidate=60", #"[{"id": 7}]"#, #"[{"id": 8}]"#)
    let caching = Caching(api: PlainAPI(transport: transport))
    let cache = HTTPCache()
    for expected in [[[Caching.Item(id: 7)]], [[.init(id: 7)], [.init(id: 8)]]] {
      let subscriber = TestSubscriber<[Caching.Item], any Error>()
      caching.latest(in: cache).receive(subscriber: subscriber)
      #expect(subscriber.values == expected)
    }
  }

  @Test("Each test that the tables name exists")
  func tables() throws {
    let sources = try Repository.files(in: "Tests", endingIn: ".swift")
      .map { try Repository.text(of: $0) }
    let names = try Repository.text(of: "Docs/Caching.md")
      .matches(of: /`([A-Z][A-Za-z]+Tests)\.([A-Za-z0-9]+)`/)
    #expect(names.count > 100)
    for name in names {
      let isThere = sources.contains { source in
        source.contains("struct \(name.1) ") && source.contains("func \(name.2)(")
      }
      #expect(isThere, "\(name.1).\(name.2)")
    }
  }

  @Test("The log shows the cache's decisions")
  func log() async throws {
    let observed = ObservedTransport(stubs("max-age=60", #"[{"id": 7}]"#))
    let lines = Lock<[String]>([])
    let watching = Caching.watch(observed) { line in lines.withLock { $0.append(line) } }
    let api = Caching.ShopAPI(transport: observed)
    for _ in 1...2 { _ = try await api.get(endpoint: "catalog").value }
    #expect(
      lines.withLock { $0 } == [
        "cache: miss: nothing stored", "cache: stored", "cache: hit",
      ])
    watching.cancel()
  }
}
