import Fixtures
import Foundation
import RESTKit
import Streams
import StreamsTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("The decoder and the encoder that an API names once", .leakFree)
struct APICodersTests {
  private struct SnakeAPI: RESTAPI {
    let baseURL = "https://api.example.com/v1"
    let transport: any Transport
    let decoder: JSONDecoder = .snake
    let encoder: JSONEncoder = .snake
  }

  private struct PlainAPI: RESTAPI {
    let baseURL = "https://api.example.com/v1"
    let transport: any Transport
  }

  private struct Room: Codable, Sendable, Equatable {
    let roomId: Int
  }

  private struct GetRoom: Endpoint {
    typealias Response = Room
    let path: ResourcePath = "room"
  }

  private struct PutRoom: Endpoint {
    typealias Response = Void
    let method = HTTPMethod.put
    let path: ResourcePath = "room"
    let body = RequestBody.json(Room(roomId: 7))
  }

  private struct PlainRoom: Endpoint {
    typealias Response = Room
    let path: ResourcePath = "room"
    let decoder = JSONDecoder()
  }

  private let scheduler = TestScheduler()

  private func transport(_ body: String = #"{"room_id": 7}"#) -> ScriptedTransport {
    ScriptedTransport(
      .status(200, ["Content-Type": "application/json"], body: Data(body.utf8)), on: scheduler)
  }

  private func body(_ transport: ScriptedTransport) -> String? {
    transport.requests.last?.httpBody.map { String(decoding: $0, as: UTF8.self) }
  }

  @Test("The API's decoder decodes an endpoint's response, a verb's, an upload's and a page's")
  func decoding() async throws {
    let api = SnakeAPI(transport: transport())
    let room = Room(roomId: 7)
    #expect(try await api.send(GetRoom()) == room)
    #expect(try await api.get(endpoint: "room").decode(type: Room.self).value == room)
    #expect(try await api.get(endpoint: "room").value.decoded(as: Room.self) == room)
    #expect(
      try await api.upload(endpoint: "room", body: .data(Data())).decode(type: Room.self).value
        == room)
    #expect(try await api.pages(from: GetRoom()).allValues == [room])
    #expect(
      try await (api as any RESTAPI).get(endpoint: "room").decode(type: Room.self).value == room)
  }

  @Test("The API's decoder decodes the values of a stream")
  func streams() async throws {
    let room = Room(roomId: 7)
    let lines = SnakeAPI(transport: transport("{\"room_id\": 7}\n{\"room_id\": 7}\n"))
    #expect(
      try await lines.events(endpoint: "rooms").decodeLines(of: Room.self).allValues
        == [room, room])
    #expect(
      try await SnakeAPI(transport: transport()).events(endpoint: "rooms")
        .decodeMessages(of: Room.self).allValues == [room])
  }

  @Test("A decoder of a call, or of an endpoint, replaces the API's")
  func replaced() async throws {
    let api = SnakeAPI(transport: transport(#"{"roomId": 8}"#))
    let room = Room(roomId: 8)
    #expect(try await api.send(PlainRoom()) == room)
    #expect(
      try await api.get(endpoint: "room").decode(type: Room.self, decoder: JSONDecoder()).value
        == room)
    #expect(
      try await api.events(endpoint: "room").decodeLines(of: Room.self, decoder: JSONDecoder())
        .allValues == [room])
  }

  @Test("Without a decoder, the API's responses are decoded plainly")
  func plain() async throws {
    let api = PlainAPI(transport: transport(#"{"roomId": 8}"#))
    #expect(try await api.send(GetRoom()) == Room(roomId: 8))
    #expect(try await api.events(endpoint: "r").decodeLines(of: Room.self).value.roomId == 8)
  }

  @Test("The API's encoder writes JSON bodies and forms, unless the body has its own")
  func encoding() async throws {
    let transport = transport()
    let api = SnakeAPI(transport: transport)
    _ = try await api.send(PutRoom())
    #expect(body(transport) == #"{"room_id":7}"#)
    _ = try await api.post(endpoint: "room", body: .json(Room(roomId: 8))).value
    #expect(body(transport) == #"{"room_id":8}"#)
    _ = try await api.post(endpoint: "room", body: .form(encoding: Room(roomId: 9))).value
    #expect(body(transport) == "room_id=9")
    _ = try await api.put(
      url: URL(string: "https://other.example/room") ?? URL(filePath: "/"),
      body: .json(Room(roomId: 5))
    ).value
    #expect(body(transport) == #"{"room_id":5}"#)
    _ = try await api.post(
      endpoint: "room", body: .json(Room(roomId: 6), encoder: JSONEncoder())
    ).value
    #expect(body(transport) == #"{"roomId":6}"#)
    _ = try await PlainAPI(transport: transport).send(PutRoom())
    #expect(body(transport) == #"{"roomId":7}"#)
  }

  @Test("Calls that share one exchange keep the decoders of their APIs")
  func shared() throws {
    let transport = ScriptedTransport(
      .status(200, body: Data(#"{"room_id": 7, "roomId": 8}"#.utf8)), on: scheduler,
      taking: .seconds(1))
    let coalescer = RequestCoalescer()
    let (plain, snake) = (
      TestSubscriber<Room, any Error>(), TestSubscriber<Room, any Error>()
    )
    PlainAPI(transport: transport).get(endpoint: "room").coalesced(in: coalescer)
      .decode(type: Room.self).subscribe(plain)
    SnakeAPI(transport: transport).get(endpoint: "room").coalesced(in: coalescer)
      .decode(type: Room.self).subscribe(snake)
    scheduler.run()
    #expect(transport.requests.count == 1)
    #expect(plain.values == [Room(roomId: 8)])
    #expect(snake.values == [Room(roomId: 7)])
  }
}

extension JSONDecoder {
  fileprivate static var snake: JSONDecoder {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return decoder
  }
}

extension JSONEncoder {
  fileprivate static var snake: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    return encoder
  }
}
