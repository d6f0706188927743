import Foundation
import RESTKit
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The examples of Docs/LiveStreams.md whose streams live on, which `LiveStreamsLifeTests` runs.
struct LiveStreamsLives {
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

  // snippet: tail
  func tail(retrying policy: RetryPolicy) -> AnyPublisher<String, any Error> {
    api.events(endpoint: "log") { $0.settingHeader("Accept-Encoding", to: "identity") }
      .retry(policy) { request, offset in
        request.settingHeader("Range", to: "bytes=\(offset)-")
      }
      .validateStatus()
      .lines()
  }
  // end

  // snippet: feed
  func feed() -> AnyPublisher<ServerSentEvent, any Error> {
    api.serverSentEvents(
      endpoint: "feed", reconnecting: ReconnectPolicy(maxDelay: .seconds(3), silence: .seconds(45)))
  }
  // end
}
