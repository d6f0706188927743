public import Foundation
public import RESTKit
public import Streams

/// A note, as the server sends it: `{"id": 1, "text": "…", "created_at": "2026-11-25T09:30:00Z"}`.
public nonisolated struct Note: Decodable, Sendable, Equatable {
  public let id: Int
  public let text: String
  public let createdAt: Date
}

extension JSONDecoder {
  /// The decoder for this server: names in snake case, dates in ISO 8601.
  nonisolated static var notes: JSONDecoder {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    decoder.dateDecodingStrategy = .iso8601
    return decoder
  }
}

/// Where the server is, and how to get there.
struct NotesAPI: RESTAPI {
  let baseURL: String
  let transport: any Transport
  var session: TokenSession?
}

/// `GET notes`, and the type of its response.
struct AllNotes: Endpoint {
  typealias Response = [Note]
  var path: ResourcePath { "notes" }
  var decoder: JSONDecoder { .notes }
}

/// The notes of a server.
public struct NotesService: Sendable {
  let api: NotesAPI

  public init(baseURL: String, transport: any Transport = .shared) {
    self.init(api: NotesAPI(baseURL: baseURL, transport: transport))
  }

  init(api: NotesAPI) {
    self.api = api
  }

  /// All notes; each subscription asks the server.
  public var notes: AnyPublisher<[Note], any Error> {
    api.publisher(for: AllNotes())
  }
}
