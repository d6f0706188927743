import Foundation
import RESTKit
import Streams

extension Recipes {
  // snippet: poll-matrix
  struct Sync: Endpoint {
    nonisolated struct Response: Decodable, Sendable {
      let nextBatch: String
      let rooms: Rooms?
    }
    nonisolated struct Rooms: Decodable, Sendable { let join: [String: Room]? }
    nonisolated struct Room: Decodable, Sendable { let timeline: Timeline }
    nonisolated struct Timeline: Decodable, Sendable {
      let events: [RoomEvent]
      let limited: Bool?
      let prevBatch: String?
    }

    var since: String?
    let path: ResourcePath = "_matrix/client/v3/sync"
    // The first response comes at once, the others as soon as there is something, or after 90 s.
    var query: QueryItems { ["since": since, "timeout": since == nil ? 0 : 90_000] }
    let timeout = Duration.seconds(100)
    var decoder: JSONDecoder? { .snakeCase }
  }

  struct Missed: Endpoint {
    nonisolated struct Response: Decodable, Sendable {
      let chunk: [RoomEvent]
      let end: String?
    }

    let room, since: String
    var from: String
    var path: ResourcePath { "_matrix/client/v3/rooms/\(room)/messages" }
    var query: QueryItems { ["dir": "b", "from": from, "to": since, "limit": 100] }
    var decoder: JSONDecoder? { .snakeCase }
  }

  nonisolated struct RoomEvent: Decodable, Sendable {
    let eventId: String
    let content: JSONValue
  }

  nonisolated struct RoomUpdate: Sendable {
    let place: String
    let events: [String: [RoomEvent]]
  }

  func updates(
    of api: some RESTAPI, since place: String?
  ) -> AnyPublisher<RoomUpdate, any Error> {
    api.longPollExchanges(from: Sync(since: place)) { _, response in
      Sync(since: response.nextBatch)
    }
    .flatMap(maxPublishers: .max(1)) { poll, response in
      (response.rooms?.join ?? [:])
        .map { id, room in events(of: room.timeline, in: id, since: poll.since, at: api) }
        .merged()
        .collect()
        .map { rooms in
          RoomUpdate(
            place: response.nextBatch, events: Dictionary(rooms, uniquingKeysWith: { $1 }))
        }
    }
    .eraseToAnyPublisher()
  }

  private nonisolated func events(
    of timeline: Sync.Timeline, in room: String, since place: String?, at api: some RESTAPI
  ) -> AnyPublisher<(String, [RoomEvent]), any Error> {
    guard timeline.limited == true, let place, let latest = timeline.prevBatch else {
      return Just((room, timeline.events)).setFailureType(to: (any Error).self)
        .eraseToAnyPublisher()
    }
    return api.longPoll(from: Missed(room: room, since: place, from: latest)) { page, response in
      response.end.map { Missed(room: page.room, since: page.since, from: $0) }
    }
    .collect()
    .map { pages in (room, pages.flatMap(\.chunk).reversed() + timeline.events) }
    .eraseToAnyPublisher()
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
