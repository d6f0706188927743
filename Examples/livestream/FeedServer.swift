import RESTKitTesting

/// A server for a feed of server-sent events on a loopback port.
///
/// Its first connection breaks in the middle of an event, and the token expires at the same time.
final class FeedServer: Sendable {
  let baseURL: String
  private let server: MockServer

  init() throws {
    server = try MockServer { request in
      let token = request.value(for: "Authorization")
      let last = request.value(for: "Last-Event-ID")
      switch (request.method, request.path, token, last) {
      case ("POST", "/auth/refresh", _, _):
        return .json(#"{"result": {"accessToken": "fresh", "refreshToken": "refresh-2"}}"#)
      case ("GET", "/feed", "Bearer first", nil):
        return .events(
          "retry: 200\n\nid: 1\ndata: The lights go on\n\n",
          .after(.milliseconds(50), "id: 2\ndata: The doors open\n\nid: 3\ndata: The cur"),
          end: .cut)
      case ("GET", "/feed", "Bearer fresh", "2"):
        return .events(
          "id: 3\ndata: The curtain rises\n\n",
          .after(.milliseconds(50), "id: 4\ndata: Applause\n\n"))
      case ("GET", "/feed", "Bearer fresh", _):
        return MockResponse(status: 204)
      default:
        return .json(#"{"title": "The access token has expired"}"#, status: 401)
      }
    }
    baseURL = server.baseURL
  }
}

nonisolated extension MockResponse {
  fileprivate static func events(_ pieces: MockPiece..., end: BodyEnd = .complete) -> MockResponse {
    MockResponse(
      status: 200, headers: [("Content-Type", "text/event-stream")],
      delivery: .pieces(pieces, end: end))
  }
}
