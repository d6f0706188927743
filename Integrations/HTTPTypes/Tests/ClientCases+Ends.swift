import Foundation
import HTTPTypes
import RESTKit
import RESTKitHTTPTypes
import RESTKitTesting
import Streams

extension ClientCase {
  static let redirects: [ClientCase] = [
    redirect(301, .get), redirect(308, .post), redirect(303, .post),
    ClientCase(
      name: "a redirect, as a value of HTTPTypes",
      serve: { _ in MockResponse(status: 302, headers: [("Location", "/next")]) }
    ) {
      let answer = try await $0.send()
      let place = answer.response.headerFields[.location] ?? "none"
      return "\(answer.response.status.code), Location \(place)"
    },
    ClientCase(
      name: "endless redirects",
      serve: { request in
        MockResponse(
          status: 302, headers: [("Location", request.path == "/ping" ? "/pong" : "/ping")])
      }
    ) {
      _ = try await $0.api.get(endpoint: "ping").value
      return "a response"
    },
  ]

  private static func redirect(_ status: Int, _ method: RESTKit.HTTPMethod) -> ClientCase {
    ClientCase(
      name: "\(method), redirected with \(status)",
      serve: { request in
        request.path == "/next"
          ? .text("\(request.method) with \(request.body.count) bytes")
          : MockResponse(status: status, headers: [("Location", "/next")])
      }
    ) { scene in
      let body = method == .post ? RequestBody.data(Data("abc".utf8)) : nil
      let response = try await scene.api.request(method, endpoint: "first", body: body).value
      return String(decoding: response.data, as: UTF8.self)
    }
  }

  static let ends: [ClientCase] = [
    ClientCase(
      name: "a response before the request's body was read", serve: { _ in .text("late") },
      serveEarly: { _ in .text("too large", status: 413) }
    ) {
      let body = HTTPMessageBody(Data(count: 4 << 20))
      let answer = try await $0.send(.post, body: body)
      return "\(answer.response.status.code), \(String(decoding: answer.data, as: UTF8.self))"
    },
    ClientCase(
      name: "a response while the request's body is being sent", serve: { _ in .text("late") },
      serveEarly: { _ in .text("early") }, patience: .seconds(3)
    ) {
      // The body ends when the response has come: one that waited for it would wait for ever.
      let (answered, answer) = AsyncStream.makeStream(of: Data.self)
      answer.yield(Data("a".utf8))
      let (response, chunks) = try await $0.transport.execute(
        $0.request(.post), body: HTTPMessageBody(answered), timeout: .milliseconds(500))
      let data = try await chunks.collect()
      answer.finish()
      return "\(response.status.code), \(String(decoding: data, as: UTF8.self))"
    },
    ClientCase(name: "cancelled before the head", serve: { _ in fail(.hang) }) { scene in
      let task = Task { try await scene.transport.execute(scene.request()).0.status }
      try await scene.server.received(1)
      task.cancel()
      return try await end(of: task, in: scene)
    },
    ClientCase(
      name: "cancelled in the body",
      serve: { _ in
        MockResponse(
          status: 200, body: Data(count: 1_000),
          delivery: .paused(afterBytes: 10, until: MockGate()))
      }
    ) { scene in
      let (begins, begin) = AsyncStream.makeStream(of: Void.self)
      let task = Task {
        let (_, body) = try await scene.transport.execute(scene.request())
        begin.yield()
        return try await body.collect()
      }
      for await _ in begins { break }
      task.cancel()
      return try await end(of: task, in: scene)
    },
    ClientCase(name: "no response in time", serve: { _ in fail(.hang) }) {
      _ = try await $0.transport.execute($0.request(), timeout: .milliseconds(200))
      return "a response"
    },
    ClientCase(name: "a hundred requests at once", serve: { .text($0.path) }) { scene in
      try await withThrowingTaskGroup(of: Bool.self) { group in
        for index in 0..<100 {
          group.addTask {
            try await scene.send(.get, "/\(index)").data == Data("/\(index)".utf8)
          }
        }
        let right = try await group.filter { $0 }.reduce(into: 0) { count, _ in count += 1 }
        return "\(right) right responses"
      }
    },
  ]

  private static func fail(_ delivery: MockResponse.Delivery) -> MockResponse {
    MockResponse(status: 200, delivery: delivery)
  }

  private static func end(
    of task: Task<some Sendable, any Error>, in scene: Scene
  ) async throws -> String {
    do {
      _ = try await task.value
      return "a response"
    } catch is CancellationError {
      try await scene.server.connectionClosed(0)
      return "`CancellationError`, closed"
    }
  }
}
