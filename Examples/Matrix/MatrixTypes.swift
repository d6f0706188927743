public import Foundation
public import RESTKit

/// `!opaque:server`.
public nonisolated struct RoomID: RawRepresentable, Codable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
}

public nonisolated struct Event: Decodable, Equatable, Sendable {
  public let type, sender, eventId: String
  public let originServerTs: Date
  /// As the sender wrote it: anybody in a room may send anything.
  public let content: JSONValue
  public var body: String? { content["body"]?.string }
}

/// A part of a room's history, the newest event first.
public nonisolated struct MessagePage: Decodable, Equatable, Sendable {
  public let chunk: [Event]
  /// The place where the next page begins; nil at the end.
  public let end: String?
}

/// What happened since the update before.
public nonisolated struct Update: Equatable, Sendable {
  /// The place of the next update: an app that keeps it goes on there after its restart.
  public let nextBatch: String
  /// The events of each room, the oldest first, without a gap.
  public let events: [RoomID: [Event]]
}

public nonisolated struct DirectoryUser: Decodable, Equatable, Identifiable, Sendable {
  public let userId: String
  public let displayName: String?
  public var id: String { userId }
}

/// A call, and the type of its answer.
struct Call<Response: Decodable & Sendable>: Endpoint {
  var method = HTTPMethod.get
  let path: ResourcePath
  var query: QueryItems = [:]
  var body: RequestBody?
  var authorization = RequestAuthorization.session
}

nonisolated struct FoundUsers: Decodable, Sendable { let results: [DirectoryUser] }
nonisolated struct Media: Decodable, Sendable { let contentUri: String }
nonisolated struct NewRoom: Decodable, Sendable { let roomId: RoomID }
nonisolated struct SentEvent: Decodable, Sendable { let eventId: String }
nonisolated struct WhoAmI: Decodable, Sendable { let userId: String }

/// What happened in the user's rooms since a place.
struct Sync: Endpoint {
  nonisolated struct Response: Decodable, Sendable {
    let nextBatch: String
    /// By membership: `join`, `leave`, `invite`.
    let rooms: [String: [String: Room]]?
  }
  nonisolated struct Room: Decodable, Sendable { let timeline: Timeline? }
  nonisolated struct Timeline: Decodable, Sendable {
    let events: [Event]
    /// Whether events are left out before these.
    let limited: Bool?
    let prevBatch: String?
  }

  var since: String?
  let path: ResourcePath = "client/v3/sync"
  // The first answer comes at once, the others as soon as there is something, or after 30 s.
  var query: QueryItems { ["since": since, "timeout": since == nil ? 0 : 30_000] }
}

extension JSONRefreshGrant.Names {
  nonisolated static let matrix = JSONRefreshGrant.Names(
    sentRefreshToken: "refresh_token", lifetime: "expires_in_ms", account: "user_id",
    extras: ["device_id"])
}

extension JSONDecoder {
  nonisolated static let matrix: JSONDecoder = {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    decoder.dateDecodingStrategy = .millisecondsSince1970
    return decoder
  }()
}
