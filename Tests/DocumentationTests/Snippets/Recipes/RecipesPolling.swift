import Foundation
import RESTKit
import Streams

extension Recipes {
  // snippet: poll-matrix
  struct Sync: Endpoint {
    nonisolated struct Response: Decodable, Sendable {
      let nextBatch: String
      enum CodingKeys: String, CodingKey { case nextBatch = "next_batch" }
    }

    var since: String?
    let path: ResourcePath = "_matrix/client/v3/sync"
    // The first response comes at once, the others as soon as there is something, or after 90 s.
    var query: QueryItems { ["since": since, "timeout": since == nil ? 0 : 90_000] }
    let timeout = Duration.seconds(100)
  }

  func syncs(
    of api: some RESTAPI, since place: String?
  ) -> AnyPublisher<Sync.Response, any Error> {
    api.longPoll(from: Sync(since: place)) { _, response in Sync(since: response.nextBatch) }
  }
  // end

  // snippet: poll-telegram
  struct Updates: Endpoint {
    nonisolated struct Update: Decodable, Sendable {
      let id: Int
      enum CodingKeys: String, CodingKey { case id = "update_id" }
    }
    nonisolated struct Response: Decodable, Sendable { let result: [Update] }

    let token: String
    var offset: Int?
    var path: ResourcePath { "bot\(token)/getUpdates" }
    var query: QueryItems { ["offset": offset, "timeout": 50] }
    let timeout = Duration.seconds(60)
  }

  func updates(of api: some RESTAPI, token: String) -> AnyPublisher<Updates.Update, any Error> {
    api.longPoll(from: Updates(token: token)) { poll, response in
      // The offset confirms the updates before it. Without an update it stays.
      Updates(token: token, offset: response.result.last.map { $0.id + 1 } ?? poll.offset)
    }
    .flatMap(maxPublishers: .max(1)) {
      Publishers.Sequence($0.result).setFailureType(to: (any Error).self)
    }
    .eraseToAnyPublisher()
  }
  // end

  // snippet: poll-kafka
  struct Records: Endpoint {
    nonisolated struct Record: Decodable, Sendable {
      let topic: String
      let partition: Int
      let offset: Int64
      let value: JSONValue
    }
    typealias Response = [Record]

    let group, instance: String
    var path: ResourcePath { "consumers/\(group)/instances/\(instance)/records" }
    let query: QueryItems = ["timeout": 30_000, "max_bytes": 300_000]
    let headers: HTTPHeaders = ["Accept": "application/vnd.kafka.json.v2+json"]
    let timeout = Duration.seconds(40)
  }

  func records(
    of api: some RESTAPI, for group: String, instance: String
  ) -> AnyPublisher<[Records.Record], any Error> {
    // The proxy keeps the place, so the next request is the same.
    api.longPoll(from: Records(group: group, instance: instance)) { poll, _ in poll }
  }
  // end
}
