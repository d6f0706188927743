import Foundation
import RESTKit
import Streams
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension IntegrationTests {
  /// Responses of independent servers, read by a cache to RFC 9111.
  @Suite("A cache in front of real servers")
  struct Caches {
    private let clock = ForwardClock()

    /// A cache whose clock can be put forward.
    private var cache: HTTPCache {
      HTTPCache(date: { [clock] in clock.now })
    }

    private func wait(_ seconds: TimeInterval) { clock.advance(by: seconds) }

    private func get(
      _ api: some RESTAPI, _ endpoint: String, query: QueryItems = [], in cache: HTTPCache
    ) async throws -> RESTResponse {
      try await api.get(endpoint: endpoint, query: query).cached(in: cache).value
    }

    @Test("max-age: a fresh response is not requested again", arguments: TransportKind.allCases)
    func fresh(kind: TransportKind) async throws {
      let (api, cache) = (try HttpbinAPI(kind), cache)
      let first = try await get(api, "cache/60", in: cache)
      guard case .forwarded(.uriMiss, _, isStored: true, _, _, _) = first.cacheStatus else {
        Issue.record("\(first.cacheStatus?.fieldValue ?? "none")")
        return
      }
      wait(50)
      let second = try await get(api, "cache/60", in: cache)
      #expect(second.cacheStatus?.isHit == true)
      #expect(second.data == first.data)
      #expect(second.headers["Age"].flatMap { Int($0) }.map { $0 >= 49 } == true)
      wait(20)
      #expect(try await get(api, "cache/60", in: cache).cacheStatus?.isHit == false)
    }

    @Test(
      "a 304 returns the stored response", arguments: TransportKind.allCases, ["cache", "etag/v1"])
    func validated(kind: TransportKind, endpoint: String) async throws {
      let (api, cache) = (try HttpbinAPI(kind), cache)
      let first = try await get(api, endpoint, in: cache)
      wait(1)
      let second = try await get(api, endpoint, in: cache)
      guard case .forwarded(.stale, status: 304, _, _, _, _) = second.cacheStatus else {
        Issue.record("\(second.cacheStatus?.fieldValue ?? "none")")
        return
      }
      #expect(second.statusCode == 200)
      #expect(second.data == first.data)
    }

    @Test(
      "a response that forbids storage is not stored",
      arguments: TransportKind.allCases,
      [("Cache-Control", "no-store"), ("Vary", "*")])
    func refused(kind: TransportKind, field: (name: String, value: String)) async throws {
      let (api, cache) = (try HttpbinAPI(kind), cache)
      let query: QueryItems = [field.name: field.value, "ETag": "\"1\""]
      for _ in 1...2 {
        let response = try await get(api, "response-headers", query: query, in: cache)
        #expect(
          response.cacheStatus
            == .forwarded(
              .uriMiss,
              detail: "not stored: \(field.name == "Vary" ? "Vary: *" : "no-store")"))
      }
    }

    @Test(
      "a response with an Expires in the past is revalidated", arguments: TransportKind.allCases)
    func expired(kind: TransportKind) async throws {
      let (api, cache) = (try HttpbinAPI(kind), cache)
      let query: QueryItems = ["Expires": "Sun, 06 Nov 1994 08:49:37 GMT", "ETag": "\"1\""]
      for isFirst in [true, false] {
        let response = try await get(api, "response-headers", query: query, in: cache)
        guard case .forwarded(let reason, _, isStored: true, _, _, _) = response.cacheStatus else {
          Issue.record("\(response.cacheStatus?.fieldValue ?? "none")")
          return
        }
        #expect(reason == (isFirst ? .uriMiss : .stale))
      }
    }

    @Test("nginx confirms a file and does not send it again", arguments: TransportKind.allCases)
    func file(kind: TransportKind) async throws {
      let cache = cache
      let api = PeerAPI(try Peer.plain.text, try kind.makeTransport())
      let first = try await get(api, "files/list.json", in: cache)
      let asked = api.get(endpoint: "files/list.json").cached(in: cache, use: .revalidated)
      let second = try await asked.value
      guard case .forwarded(_, status: 304, isStored: true, _, _, _) = second.cacheStatus else {
        Issue.record("\(second.cacheStatus?.fieldValue ?? "none")")
        return
      }
      #expect(second.data == first.data)
      #expect(second.data.count > 100_000)
      let part = try await api.get(endpoint: "files/list.json") { request in
        var request = request
        request.setValue("bytes=0-9", forHTTPHeaderField: "Range")
        return request
      }.cached(in: cache).value
      #expect(part.statusCode == 206)
      #expect(part.data == first.data.prefix(10))
    }

    @Test("a thousand callers make one request", arguments: TransportKind.allCases)
    func stampede(kind: TransportKind) async throws {
      let cache = cache
      let transport = ExchangeCounter(try kind.makeTransport())
      let api = PeerAPI(try #require(Httpbin.address), transport)
      let coalescer = RequestCoalescer()
      try await withThrowingTaskGroup { group in
        for _ in 0..<1_000 {
          group.addTask {
            try await api.get(endpoint: "cache/60").cached(in: cache)
              .coalesced(in: coalescer).value.statusCode
          }
        }
        for try await status in group { #expect(status == 200) }
      }
      #expect(transport.count == 1)
    }
  }
}

/// The wall clock, or ahead of it.
private final class ForwardClock: Sendable {
  private let offset = Lock<TimeInterval>(0)

  var now: Date { Date() + offset.withLock { $0 } }

  func advance(by seconds: TimeInterval) { offset.withLock { $0 += seconds } }
}

/// A transport that counts its exchanges.
private final class ExchangeCounter: Transport {
  private let transport: any Transport
  private let exchanges = Lock(0)

  init(_ transport: any Transport) {
    self.transport = transport
  }

  var count: Int { exchanges.withLock { $0 } }

  func response(for request: URLRequest) -> AnyPublisher<RESTResponse, any Error> {
    exchanges.withLock { $0 += 1 }
    return transport.response(for: request)
  }
}
