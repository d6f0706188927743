import Foundation
import RESTKit
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The examples of Docs/LiveStreams.md whose streams live on, which `LiveStreamsLifeTests` runs.
struct LiveStreamsLives {
  typealias Row = LiveStreamsExamples.Row

  let api: any RESTAPI

  // snippet: chat
  struct Chat: Endpoint {
    typealias Response = EventStream
    let prompt: String
    var method: HTTPMethod { .post }
    var path: ResourcePath { "chat" }
    var body: RequestBody? { .json(["prompt": prompt]) }
  }

  func words(to prompt: String) -> AnyPublisher<String, any Error> {
    api.publisher(for: Chat(prompt: prompt)).map(\.data).eraseToAnyPublisher()
  }
  // end

  // snippet: resume
  func export(retrying policy: RetryPolicy) -> AnyPublisher<String, any Error> {
    api.events(endpoint: "export.csv") { $0.settingHeader("Accept-Encoding", to: "identity") }
      .retry(policy) { request, offset in
        request.settingHeader("Range", to: "bytes=\(offset)-")
      }
      .validateStatus()
      .lines()
  }
  // end

  // snippet: tail
  func tail(_ policy: ReconnectPolicy) -> AnyPublisher<String, any Error> {
    api.events(endpoint: "log") { $0.settingHeader("Accept-Encoding", to: "identity") }
      .follow(policy, version: .length, ifReplaced: .beginAgain) { request, offset in
        request.settingHeader("Range", to: "bytes=\(offset)-")
      }
      .validateStatus()
      .lines()
  }
  // end

  // snippet: watch
  func watch(_ policy: ReconnectPolicy) -> AnyPublisher<Row, any Error> {
    api.events(endpoint: "rows", query: ["watch": "true"])
      .decodeLines(of: Row.self)
      .follow(policy) { request, last in request.settingQuery(["after": last.id]) }
  }
  // end

  // snippet: cursor
  func pages(retrying policy: RetryPolicy) -> AnyPublisher<Row, any Error> {
    api.events(endpoint: "rows").decodeLines(of: Row.self)
      .retry(policy) { request, last, head in
        request.settingHeader("After", to: "\(head.headers["Generation"] ?? "")/\(last.id)")
      }
  }
  // end

  // snippet: messages
  func rows(
    for question: String, noting: @escaping @Sendable (_ sessionID: String?) -> Void
  ) -> AnyPublisher<Row, any Error> {
    api.events(
      .post, endpoint: "mcp", headers: ["Accept": "application/json, text/event-stream"],
      body: .json(["question": question])
    )
    .handleHead { head in noting(head.headers["Mcp-Session-Id"]) }
    .decodeMessages(of: Row.self)
  }
  // end

  // snippet: feed
  func feed() -> AnyPublisher<ServerSentEvent, any Error> {
    api.serverSentEvents(
      endpoint: "feed", reconnecting: ReconnectPolicy(maxDelay: .seconds(3), silence: .seconds(45)))
  }
  // end

  nonisolated struct News: Decodable, Sendable {
    struct Poll: Endpoint {
      typealias Response = News
      var since: String?
      var path: ResourcePath { "news" }
      var query: QueryItems { ["since": since] }
    }

    let next: String
  }

  // snippet: poll-cause
  struct SignedOut: Error {
    let cause: TokenSession.SignOutCause
  }

  func news(of session: TokenSession) -> AnyPublisher<News, any Error> {
    api.longPoll(from: News.Poll()) { _, news in News.Poll(since: news.next) }
      .merge(with: session.signOuts.tryMap { cause -> News in throw SignedOut(cause: cause) })
      .eraseToAnyPublisher()
  }
  // end
}
