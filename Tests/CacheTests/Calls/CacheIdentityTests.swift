import Fixtures
import Foundation
import RESTKit
import Streams
import StreamsTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Responses belong to who asks, byte by byte, and to the road", .leakFree)
struct CacheIdentityTests {
  private let world = CacheWorld()
  private let fresh: HTTPHeaders = ["Cache-Control": "max-age=60"]
  private static let lookalikes = ["user=\u{E9}", "user=e\u{301}"]

  private func get(
    _ api: some RESTAPI, _ fields: [String: String] = [:]
  ) -> TestSubscriber<RESTResponse, any Error> {
    world.begin(api.get(endpoint: "a") { $0.adding(fields) })
  }

  // MARK: Bytes

  @Test(
    "Two secrets that only look the same are two users",
    arguments: ["Authorization", "Cookie", "X-Api-Key", "X-Tenant"])
  func lookalikeSecrets(name: String) {
    for (place, value) in Self.lookalikes.enumerated() {
      #expect(world.get("a", [name: value]).values.isEmpty)
      world.transport.answer(place, headers: fresh, body: "\(place)")
    }
    for (place, value) in Self.lookalikes.enumerated() {
      #expect(world.get("a", [name: value]).values.map(\.text) == ["\(place)"])
    }
  }

  @Test("Two values of a field in Vary that only look the same are two")
  func lookalikeVariants() {
    var fields = fresh
    fields.append(name: "Vary", value: "X-Name")
    for (place, value) in Self.lookalikes.enumerated() {
      #expect(world.get("a", ["X-Name": value]).values.isEmpty)
      world.transport.answer(place, headers: fields, body: "\(place)")
    }
    for (place, value) in Self.lookalikes.enumerated() {
      #expect(world.get("a", ["X-Name": value]).values.map(\.text) == ["\(place)"])
    }
  }

  // MARK: Credentials

  @Test(
    "Every field that can carry a credential tells users apart",
    arguments: [
      "X-Auth-Token", "Api-Key", "X-Access-Token", "x-session-id", "Ocp-Apim-Subscription-Key",
    ])
  func otherNames(name: String) {
    for (place, value) in ["ada", "bob"].enumerated() {
      #expect(world.get("a", [name: value]).values.isEmpty)
      world.transport.answer(place, headers: fresh, body: value)
    }
    #expect(world.get("a", [name: "ada"]).values.map(\.text) == ["ada"])
    #expect(world.get().values.isEmpty)
  }

  @Test("A credential that Vary names is no variant, since it tells users apart already")
  func variedCredential() throws {
    var fields = fresh
    fields.append(name: "Vary", value: "X-Auth-Token")
    _ = world.fetch("a", ["X-Auth-Token": "ada"], headers: fields, body: "Ada's")
    #expect(world.get("a", ["X-Auth-Token": "ada"]).values.map(\.text) == ["Ada's"])
    #expect(world.get("a", ["X-Auth-Token": "bob"]).values.isEmpty)
  }

  // MARK: Roads

  /// A transport of value type, which signs requests for a user.
  private struct SigningTransport: Transport {
    let inner: any Transport
    let user: String

    func response(for request: URLRequest) -> AnyPublisher<RESTResponse, any Error> {
      inner.response(for: request.adding("X-User", user))
    }
  }

  @Test("Over a transport that does not say what it shares, nothing is stored and nothing shared")
  func unshared() {
    let coalescer = RequestCoalescer()
    let apis = ["ada", "bob"].map { user in
      CacheWorld.api(
        over: SigningTransport(inner: world.transport, user: user), cache: world.cache,
        coalescer: coalescer)
    }
    let calls = apis.map { get($0) }
    #expect(world.sent("X-User") == ["ada", "bob"])
    for place in 0...1 { world.transport.answer(place, headers: fresh) }
    #expect(calls.map { $0.values.map(\.text) } == [["0"], ["1"]])
    #expect(
      calls[0].values.first?.cacheStatus
        == .forwarded(.uriMiss, detail: "not stored: its transport shares nothing"))
    #expect(get(apis[0]).values.isEmpty)
  }

  @Test("A change over a transport that shares nothing still invalidates")
  func unsharedChange() {
    world.fetch(headers: fresh)
    let api = CacheWorld.api(
      over: SigningTransport(inner: world.transport, user: "ada"), cache: world.cache)
    world.begin(api.put(endpoint: "a", body: nil))
    world.transport.answer(1, 204)
    #expect(world.get().values.isEmpty)
  }

  @Test("Two roads have two responses, and a change over one invalidates both")
  func roads() {
    let other = HeldTransport()
    let apis = [world.transport, other].map { CacheWorld.api(over: $0, cache: world.cache) }
    #expect(apis.map { get($0).values.count } == [0, 0])
    world.transport.answer(0, headers: fresh, body: "one")
    other.answer(0, headers: fresh, body: "other")
    #expect(apis.map { get($0).values.map(\.text) } == [["one"], ["other"]])
    world.begin(apis[0].delete(endpoint: "a"))
    world.transport.answer(1, 204)
    #expect(apis.map { get($0).values.count } == [0, 0])
  }

  @Test("A transport that forwards requests unchanged shares with the one behind it")
  func wrapped() {
    world.fetch(headers: fresh, body: "one")
    let observed = CacheWorld.api(over: ObservedTransport(world.transport), cache: world.cache)
    #expect(get(observed).values.map(\.text) == ["one"])
  }

  @Test("A transport with a step of one's own shares with none")
  func intercepted() {
    world.fetch(headers: fresh)
    let steps = (0..<2).map { _ in world.transport.intercepted { _ in } }
    for step in steps {
      #expect(get(CacheWorld.api(over: step, cache: world.cache)).values.isEmpty)
    }
  }
}
