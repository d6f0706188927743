import Foundation
import RESTKit
import Streams

extension Recipes {
  // snippet: api-coders
  struct ChatAPI: RESTAPI {
    let baseURL = "https://chat.example.com/v3"
    var transport: any Transport = .shared
    let decoder: JSONDecoder = .snakeCase
    let encoder: JSONEncoder = .snakeCase
  }

  nonisolated struct Room: Codable, Sendable, Equatable {
    let roomID: String
    enum CodingKeys: String, CodingKey { case roomID = "roomId" }
  }

  struct CreateRoom: Endpoint {
    typealias Response = Room
    let name: String
    var method: HTTPMethod { .post }
    var path: ResourcePath { "rooms" }
    var body: RequestBody? { .json(["visible_name": name]) }
  }
  // end

  // snippet: generic-endpoint
  struct Call<Response: Decodable & Sendable>: Endpoint {
    var method = HTTPMethod.get
    let path: ResourcePath
    var query: QueryItems = []
    var body: RequestBody?
  }

  struct Rooms: Sendable {
    let api: ChatAPI

    func room(_ id: String) -> AnyPublisher<Room, any Error> {
      api.publisher(for: Call(path: "rooms/\(id)"))
    }

    func rename(_ id: String, to name: String) -> AnyPublisher<Room, any Error> {
      api.publisher(for: Call(method: .put, path: "rooms/\(id)", body: .json(["name": name])))
    }
  }
  // end

  // snippet: typed-failure
  enum ChatFailure: APIFailure {
    case refused(code: String)
    case call(any Error)

    private nonisolated struct Words: Decodable { let errcode: String }

    init(_ error: any Error) {
      let body = (error as? RESTError)?.body
      let words = body.flatMap { try? JSONDecoder().decode(Words.self, from: $0) }
      self = words.map { .refused(code: $0.errcode) } ?? .call(error)
    }
  }

  struct TypedChatAPI: TypedFailureAPI {
    typealias Failure = ChatFailure
    let baseURL = "https://chat.example.com/v3"
    var transport: any Transport = .shared
  }

  func join(
    _ room: String, of api: TypedChatAPI
  ) -> AnyPublisher<Room, ChatFailure> {
    api.publisher(for: Join(room: room))
  }

  func joined(_ room: String, of api: TypedChatAPI) async throws(ChatFailure) -> Room {
    try await api.send(Join(room: room))
  }

  struct Join: Endpoint {
    typealias Response = Room
    let room: String
    var method: HTTPMethod { .post }
    var path: ResourcePath { "join/\(room)" }
  }
  // end

  // snippet: typed-session
  func signIn(
    to session: TokenSession, as user: String, password: String, of api: TypedChatAPI
  ) -> AnyPublisher<Void, ChatFailure> {
    let grant = JSONSignInGrant(Login(user: user, password: password), of: api, account: user)
    return session.signIn(with: grant)
      .mapError(ChatFailure.init)
      .eraseToAnyPublisher()
  }

  func signOut(of session: TokenSession, of api: TypedChatAPI) -> AnyPublisher<Void, ChatFailure> {
    let revocation = ClosureRevocation { credential in
      api.post(endpoint: "logout") { $0.addingBearerAuthorization(token: credential.accessToken) }
    }
    return session.signOut(revokingWith: revocation)
      .mapError(ChatFailure.init)
      .eraseToAnyPublisher()
  }

  struct Login: Endpoint {
    typealias Response = TokenResponse
    let user, password: String
    var method: HTTPMethod { .post }
    var path: ResourcePath { "login" }
    var body: RequestBody? { .json(["user": user, "password": password]) }
  }
  // end

  // snippet: widened
  func widened(
    _ room: AnyPublisher<Room, ChatFailure>
  ) -> AnyPublisher<Room, any Error> {
    room.mapError { $0 as any Error }.eraseToAnyPublisher()
  }
  // end
}

// snippet: snake-case
extension JSONDecoder {
  nonisolated static let snakeCase: JSONDecoder = {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return decoder
  }()
}

extension JSONEncoder {
  nonisolated static let snakeCase: JSONEncoder = {
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    return encoder
  }()
}
// end
