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
@Suite("A cache on many threads", .leakFree, .timeLimit(.minutes(5)))
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
}
