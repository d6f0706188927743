import Fixtures
import Foundation
import RESTKit
import Streams
import StreamsTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The cases that threads can disturb, on real threads, for ThreadSanitizer.
@Suite("A cache on many threads", .leakFree, .timeLimit(.minutes(10)))
struct CacheThreadTests {
  /// Answers at once with the user and the requested resource.
  private struct Server: Transport {
    let identity = TransportIdentity()

    func response(for request: URLRequest) -> AnyPublisher<RESTResponse, any Error> {
      Deferred {
        let url = request.url ?? URL(filePath: "/")
        let who = request.value(forHTTPHeaderField: "Authorization") ?? "nobody"
        let head = ResponseHead(
          url: url, statusCode: request.httpMethod == "GET" ? 200 : 204,
          headers: ["Cache-Control": "max-age=60", "ETag": "\"1\""])
        return Just(
          RESTResponse(
            head: head, data: Data("\(who) \(url.path)".utf8), request: RequestSummary(request))
        )
        .setFailureType(to: (any Error).self)
      }
      .eraseToAnyPublisher()
    }
  }

  @Test("Concurrent hits, misses, changes, sign-outs and evictions mix up no responses")
  func together() async throws {
    for round in 0..<10 {
      let session = TokenSession(
        grant: ClosureGrant { _ in Fail<TokenResponse, any Error>(error: CancellationError()) })
      try session.signIn(Credential(accessToken: "0"))
      let api = CacheWorld.api(
        over: Server(), session: session, cache: HTTPCache(maxBytes: 16 << 10),
        coalescer: round % 2 == 0 ? RequestCoalescer() : nil)
      let faults = await withTaskGroup { group in
        for number in 0..<200 {
          group.addTask { () -> String? in
            let path = "\(number % 5)"
            switch number % 20 {
            case 0:
              try? session.signOut()
              try? session.signIn(Credential(accessToken: "\(number)"))
            case 1: api.cache?.removeAll()
            case 2, 3: _ = try? await api.delete(endpoint: path).value
            default:
              let isUser = number % 2 == 0
              guard
                let response = try? await api.get(
                  endpoint: path, authorization: isUser ? .session : .none
                ).value
              else { return isUser ? nil : "nothing came" }
              let text = response.text
              let isOwn = isUser ? text.hasPrefix("Bearer") : text.hasPrefix("nobody")
              return isOwn && text.hasSuffix("/\(path)") ? nil : "\(path) got \(text)"
            }
            return nil
          }
        }
        return await group.reduce(into: [String]()) { faults, fault in
          if let fault { faults.append(fault) }
        }
      }
      #expect(faults.isEmpty)
    }
  }

  @Test("Two caches of one folder answer, forget and write on many threads, and lose no report")
  func folder() async throws {
    let folder = try TemporaryFolder()
    for _ in 0..<5 {
      let caches = try (0..<2).map { _ in
        try HTTPCache(folder: folder.url.appendingPathComponent("cache"), maxBytes: 256 << 10)
      }
      let apis = caches.map { CacheWorld.api(over: Server(), cache: $0) }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<200 {
          group.addTask {
            let (api, cache) = (apis[number % 2], caches[number % 2])
            let path = "\(number % 7)"
            switch number % 20 {
            case 0: cache.removeAll()
            case 1: try await cache.removeAll().value
            case 2: try await cache.flush().value
            case 3, 4: _ = try await api.delete(endpoint: path).value
            default:
              let text = try await api.get(endpoint: path).value.text
              #expect(text == "nobody /\(path)")
            }
          }
        }
        try await group.waitForAll()
      }
      for cache in caches { try await cache.removeAll().value }
      for api in apis {
        let left = try await api.get(endpoint: "0") { $0.adding("Cache-Control", "only-if-cached") }
          .value
        #expect(left.statusCode == 504)
      }
    }
  }
}
