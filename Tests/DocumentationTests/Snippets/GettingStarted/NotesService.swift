public import RESTKit
public import Streams

/// A note, as the server writes it.
public nonisolated struct Note: Decodable, Sendable, Equatable {
  public let id: Int
  public let text: String
}

/// Where the server is, and how to get there.
struct NotesAPI: RESTAPI {
  let baseURL: String
  let transport: any Transport
  var session: TokenSession?
}

/// `GET notes`, and what its answer is.
struct AllNotes: Endpoint {
  typealias Response = [Note]
  var path: ResourcePath { "notes" }
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
