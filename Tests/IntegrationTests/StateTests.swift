import Foundation
import RESTKit
import Streams
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension IntegrationTests {
  @Suite("State between calls")
  struct StateBetweenCalls {
    private struct Cookies: Decodable, Sendable, Equatable {
      let cookies: [String: String]
    }

    @Test(
      "cookies are not kept, from redirects or from responses", arguments: TransportKind.allCases)
    func cookies(kind: TransportKind) async throws {
      let api = try HttpbinAPI(kind)
      let redirected = try await api.get(endpoint: "cookies/set/session/1").value
      #expect(redirected.url.path == "/cookies")
      #expect(try JSONDecoder().decode(Cookies.self, from: redirected.data).cookies.isEmpty)
      let set = URLQueryItem(name: "Set-Cookie", value: "session=2; Path=/")
      #expect(
        try await api.get(endpoint: "response-headers", query: [set]).value
          .headers["Set-Cookie"] == "session=2; Path=/")
      let after = try await api.get(endpoint: "cookies").decode(type: Cookies.self).value
      #expect(after.cookies.isEmpty)
    }

    @Test("a cookie that a request sets is sent", arguments: TransportKind.allCases)
    func ownCookies(kind: TransportKind) async throws {
      let cookies = try await HttpbinAPI(kind)
        .get(endpoint: "cookies", requestModifier: setting("a=1; b=two", for: "Cookie"))
        .decode(type: Cookies.self).value
      #expect(cookies.cookies == ["a": "1", "b": "two"])
    }

    @Test("no response comes from a cache", arguments: TransportKind.allCases)
    func noCache(kind: TransportKind) async throws {
      let api = try HttpbinAPI(kind)
      for call in ["1", "2", "3"] {
        let response =
          try await api
          .get(endpoint: "cache/3600", requestModifier: setting(call, for: "X-Call")).value
        #expect(response.headers["Cache-Control"] == "public, max-age=3600")
        let echo = try JSONDecoder().decode(Echo.self, from: response.data)
        #expect(echo.header("X-Call") == call)
      }
    }

    @Test(
      "a conditional request receives its 304 without a body", arguments: TransportKind.allCases)
    func notModified(kind: TransportKind) async throws {
      let api = try HttpbinAPI(kind)
      let first = try await api.get(endpoint: "cache").value
      #expect(first.statusCode == 200)
      let tag = try #require(first.headers["ETag"])
      let date = try #require(first.headers["Last-Modified"])
      for modifier in [
        setting(tag, for: "If-None-Match"), setting(date, for: "If-Modified-Since"),
      ] {
        let second = try await api.get(endpoint: "cache", requestModifier: modifier).value
        #expect(second.statusCode == 304)
        #expect(second.data.isEmpty)
      }
      #expect(try await api.get(endpoint: "cache").value.statusCode == 200)
    }

    @Test("an entity tag selects a 200, a 304 or a 412", arguments: TransportKind.allCases)
    func entityTags(kind: TransportKind) async throws {
      let api = try HttpbinAPI(kind)
      for (name, tag, status) in [
        ("If-None-Match", "v1", 304), ("If-None-Match", "v2", 200), ("If-None-Match", "*", 304),
        ("If-Match", "v1", 200), ("If-Match", "v2", 412),
      ] {
        let response =
          try await api
          .get(endpoint: "etag/v1", requestModifier: setting(tag, for: name)).value
        #expect(response.statusCode == status, "\(name) \(tag)")
        if status != 412 { #expect(response.headers["ETag"] == "v1", "\(name) \(tag)") }
      }
    }

    @Test("50 concurrent calls each receive their own response", arguments: TransportKind.allCases)
    func concurrency(kind: TransportKind) async throws {
      let api = try HttpbinAPI(kind)
      let answers = try await withThrowingTaskGroup(of: (Int, Echo).self) { group in
        for number in 0..<50 {
          group.addTask {
            let body = Data("body \(number)".utf8)
            let echo =
              try await api
              .post(
                endpoint: "anything/\(number)",
                query: [URLQueryItem(name: "n", value: "\(number)")], body: .data(body)
              )
              .decode(type: Echo.self).value
            return (number, echo)
          }
        }
        return try await group.reduce(into: [Int: Echo]()) { $0[$1.0] = $1.1 }
      }
      #expect(answers.count == 50)
      for (number, echo) in answers {
        #expect(echo.url == "\(api.baseURL)/anything/\(number)?n=\(number)")
        #expect(echo.data == "body \(number)")
      }
    }

    @Test(
      "each of 50 concurrent calls receives its own failure or response",
      arguments: TransportKind.allCases)
    func mixedConcurrency(kind: TransportKind) async throws {
      let api = try HttpbinAPI(kind)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<50 {
          group.addTask {
            let status = [200, 401, 404, 500, 204][number % 5]
            let call = api.get(endpoint: "status/\(status)").validateStatus()
            if status < 300 {
              let response = try await call.value
              #expect(response.statusCode == status)
            } else {
              let error = await #expect(throws: RESTError.self) { try await call.value }
              #expect(error?.kind == .status(status))
            }
          }
        }
        try await group.waitForAll()
      }
    }

    @Test("a call outlives the transport that started it", arguments: TransportKind.allCases)
    func droppedTransport(kind: TransportKind) async throws {
      let kept = KeptCall()
      // Nothing but the running call knows the transport when this closure has returned.
      let response = try await withCheckedThrowingContinuation { continuation in
        kept.start {
          try HttpbinAPI(kind).get(endpoint: "delay/0.1")
        } ending: {
          continuation.resume(with: $0)
        }
      }
      #expect(response.statusCode == 200)
      kept.drop()
    }

    private func setting(_ value: String, for name: String) -> RequestModifier {
      { request in
        var request = request
        request.setValue(value, forHTTPHeaderField: name)
        return request
      }
    }
  }
}

/// Keeps a call alive, and none of the objects that it came from.
private final class KeptCall: Sendable {
  private let call = Lock<AnyCancellable?>(nil)

  func start(
    _ make: () throws -> AnyPublisher<RESTResponse, any Error>,
    ending: @escaping @Sendable (Result<RESTResponse, any Error>) -> Void
  ) {
    do {
      let started = try make().sink(receiveResult: ending)
      call.withLock { $0 = started }
    } catch {
      ending(.failure(error))
    }
  }

  func drop() {
    let ended = call.withLock { $0.take() }
    ended?.cancel()
  }
}
