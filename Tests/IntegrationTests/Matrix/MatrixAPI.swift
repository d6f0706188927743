import Foundation
import RESTKit
import Testing

/// The client API of matrix-synapse.
struct MatrixAPI: RESTAPI {
  /// The address of the server, which `run.sh` sets.
  static let address = ProcessInfo.processInfo.environment["RESTKIT_SYNAPSE_URL"]

  let baseURL: String
  let transport: any Transport
  let session: TokenSession?
  let retry: RetryPolicy?
  let rateLimiter: RateLimiter?

  init(
    transport: any Transport, session: TokenSession? = nil, retry: RetryPolicy? = nil,
    rateLimiter: RateLimiter? = nil
  ) throws {
    baseURL = try #require(MatrixAPI.address) + "/_matrix/client/v3"
    self.transport = transport
    self.session = session
    self.retry = retry
    self.rateLimiter = rateLimiter
  }
}

/// The tokens in the response to a sign-in or a refresh.
struct MatrixTokens: Decodable, Sendable {
  let accessToken: String
  let refreshToken: String
  let lifetime: Int

  var response: TokenResponse {
    TokenResponse(
      accessToken: accessToken, refreshToken: refreshToken, lifetime: .milliseconds(lifetime))
  }

  private enum CodingKeys: String, CodingKey {
    case accessToken = "access_token"
    case refreshToken = "refresh_token"
    case lifetime = "expires_in_ms"
  }
}

struct MatrixLogin: Endpoint {
  typealias Response = MatrixTokens

  private struct Body: Encodable, Sendable {
    struct Identifier: Encodable, Sendable {
      let type = "m.id.user"
      let user: String
    }

    let type = "m.login.password"
    let identifier: Identifier
    let password: String
    let refreshToken = true

    private enum CodingKeys: String, CodingKey {
      case type, identifier, password
      case refreshToken = "refresh_token"
    }
  }

  let user: String
  let password: String

  let method = HTTPMethod.post
  let path: ResourcePath = "login"
  let authorization = RequestAuthorization.none
  var body: RequestBody? { .json(Body(identifier: .init(user: user), password: password)) }
}

struct MatrixRefresh: Endpoint {
  typealias Response = MatrixTokens

  let token: String

  let method = HTTPMethod.post
  let path: ResourcePath = "refresh"
  let authorization = RequestAuthorization.none
  var body: RequestBody? { .json(["refresh_token": token]) }
}

struct WhoAmI: Endpoint {
  struct Response: Decodable, Sendable {
    let user: String

    private enum CodingKeys: String, CodingKey { case user = "user_id" }
  }

  let path: ResourcePath = "account/whoami"
}

struct NewRoom: Endpoint {
  struct Response: Decodable, Sendable {
    let room: String

    private enum CodingKeys: String, CodingKey { case room = "room_id" }
  }

  let method = HTTPMethod.post
  let path: ResourcePath = "createRoom"
  let body: RequestBody? = .json(["preset": "public_chat"])
}

struct JoinRoom: Endpoint {
  typealias Response = Void

  let room: String

  let method = HTTPMethod.post
  var path: ResourcePath { "join/\(room)" }
  let body: RequestBody? = .json([String: String]())
}

/// A text for a room.
///
/// The server takes a transaction once, however often it is sent.
struct NewMessage: Endpoint {
  struct Response: Decodable, Sendable {
    let event: String

    private enum CodingKeys: String, CodingKey { case event = "event_id" }
  }

  let text: String
  let room: String
  let transaction = UUID()

  let method = HTTPMethod.put
  var path: ResourcePath { "rooms/\(room)/send/m.room.message/\(transaction)" }
  var body: RequestBody? { .json(["msgtype": "m.text", "body": text]) }
}

struct MatrixEvent: Decodable, Sendable {
  struct Content: Decodable, Sendable {
    let body: String?
  }

  let type: String
  let content: Content

  /// The text, if the event is a message.
  var text: String? { type == "m.room.message" ? content.body : nil }
}

/// A page of a room's history, the newest event first.
struct RoomHistory: Endpoint {
  struct Response: Decodable, Sendable {
    let chunk: [MatrixEvent]
    let end: String?
  }

  let room: String
  var from: String?

  var path: ResourcePath { "rooms/\(room)/messages" }
  var query: QueryItems { ["dir": "b", "limit": "100", "from": from] }
}

/// What happened in the user's rooms since the last answer.
///
/// The server waits for news.
struct RoomNews: Endpoint {
  struct Response: Decodable, Sendable {
    struct Rooms: Decodable, Sendable {
      let join: [String: Room]?
    }

    struct Room: Decodable, Sendable {
      let timeline: Timeline
    }

    struct Timeline: Decodable, Sendable {
      let events: [MatrixEvent]
    }

    let next: String
    let rooms: Rooms?

    private enum CodingKeys: String, CodingKey {
      case next = "next_batch"
      case rooms
    }
  }

  var since: String?

  let path: ResourcePath = "sync"
  var query: QueryItems { ["since": since, "timeout": since == nil ? "0" : "30000"] }
}
