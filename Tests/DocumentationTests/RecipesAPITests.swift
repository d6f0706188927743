import Foundation
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("The recipes of Docs/Recipes.md for what an API says once, and for long polls", .leakFree)
struct APIRecipesTests {
  /// A server with one response after another, the last one for ever.
  private final class Server: Sendable {
    private let bodies: [(Int, String)]
    private let sent = Lock<[URLRequest]>([])

    init(_ bodies: (Int, String)...) { self.bodies = bodies }

    var requests: [URLRequest] { sent.withLock { $0 } }

    var transport: ClosureTransport {
      ClosureTransport { [self] request in
        let number = sent.withLock { sent in
          sent.append(request)
          return sent.count
        }
        let (status, body) = bodies[min(number, bodies.count) - 1]
        return RESTResponse.json(body, status: status, to: request)
      }
    }

    var api: Recipes.ShopAPI {
      Recipes.ShopAPI(baseURL: "https://shop.example.com", transport: transport)
    }

    func sentJSON(_ number: Int) throws -> JSONValue {
      try JSONDecoder().decode(JSONValue.self, from: requests[number].httpBody ?? Data())
    }

    var urls: [String] { requests.map { ($0.url?.path ?? "") + "?" + ($0.url?.query ?? "") } }
  }

  @Test("A question of the server is answered with the password, and any other answer is delivered")
  func furtherProof() async throws {
    let asking = Server((401, #"{"session": "xyz", "flows": []}"#), (200, "{}"))
    let answer = try await Recipes(shop: asking.api)
      .deleteDevice("D/1", password: "pw").value
    #expect(answer.statusCode == 200)
    #expect(
      asking.requests.map(\.url?.absoluteString).allSatisfy { $0?.hasSuffix("D%2F1") == true })
    #expect(
      try asking.sentJSON(1) == [
        "auth": ["type": "m.login.password", "session": "xyz", "password": "pw"]
      ])
    let refusing = Server((401, #"{"errcode": "M_UNKNOWN_TOKEN"}"#))
    let refused = try await Recipes(shop: refusing.api).deleteDevice("D", password: "pw").value
    #expect(refused.statusCode == 401)
    #expect(refusing.requests.count == 1)
  }

  @Test("The coders of an API are those of its endpoints and bodies")
  func coders() async throws {
    let server = Server((200, #"{"room_id": "!a"}"#))
    let room = try await Recipes.ChatAPI(transport: server.transport).send(
      Recipes.CreateRoom(name: "Tea"))
    #expect(room == Recipes.Room(roomID: "!a"))
    let body = try #require(server.requests.first?.httpBody)
    #expect(String(decoding: body, as: UTF8.self) == #"{"visible_name":"Tea"}"#)
  }

  @Test("The failure of an API is that of its endpoints")
  func failure() async throws {
    let api = Recipes.TypedChatAPI(
      transport: Server((403, #"{"errcode": "M_FORBIDDEN"}"#)).transport)
    let recipes = Recipes(over: StubTransport())
    let subscriber = TestSubscriber<Recipes.Room, Recipes.ChatFailure>()
    recipes.join("!a", of: api).subscribe(subscriber)
    guard case .refused(code: "M_FORBIDDEN") = subscriber.failure else {
      Issue.record("\(String(describing: subscriber.failure))")
      return
    }
    do {
      _ = try await recipes.joined("!a", of: api)
      Issue.record("no failure")
    } catch {
      guard case .refused(code: "M_FORBIDDEN") = error else {
        Issue.record("\(error)")
        return
      }
    }
  }

  @Test("A sign-in and a sign-out fail with the API's failure, and a typed failure is widened")
  func typedSession() async throws {
    let refusing = Recipes.TypedChatAPI(
      transport: Server((403, #"{"errcode": "M_FORBIDDEN"}"#)).transport)
    let recipes = Recipes(over: StubTransport())
    let session = TokenSession(
      grant: JSONRefreshGrant(baseURL: "https://chat.example.com", transport: StubTransport()))
    let signIn = TestSubscriber<Void, Recipes.ChatFailure>()
    recipes.signIn(to: session, as: "ada", password: "p", of: refusing).subscribe(signIn)
    guard case .refused(code: "M_FORBIDDEN") = signIn.failure else {
      Issue.record("\(String(describing: signIn.failure))")
      return
    }
    let welcoming = Recipes.TypedChatAPI(
      transport: Server((200, #"{"access_token": "t"}"#)).transport)
    try await recipes.signIn(to: session, as: "ada", password: "p", of: welcoming).value
    #expect(session.account == "ada")
    let signOut = TestSubscriber<Void, Recipes.ChatFailure>()
    recipes.signOut(of: session, of: refusing).subscribe(signOut)
    guard case .refused(code: "M_FORBIDDEN") = signOut.failure else {
      Issue.record("\(String(describing: signOut.failure))")
      return
    }
    #expect(session.account == nil)
    await #expect(throws: Recipes.ChatFailure.self) {
      try await recipes.widened(recipes.join("!a", of: refusing)).value
    }
  }

  private static func event(_ id: String) -> String {
    #"{"event_id": "\#(id)", "content": {}}"#
  }

  private static func sync(_ next: String, _ ids: [String], isLimited: Bool = false) -> String {
    """
    {"next_batch": "\(next)", "rooms": {"join": {"!a": {"timeline": {
      "events": [\(ids.map(event).joined(separator: ","))], "limited": \(isLimited),
      "prev_batch": "before-\(next)"}}}}}
    """
  }

  @Test("A long poll of Matrix, of Telegram and of Kafka's proxy asks from the last place on")
  func polls() {
    let recipes = Recipes(over: StubTransport())
    let matrix = Server(
      (200, Self.sync("s1", ["1"])), (200, Self.sync("s2", ["6", "7"], isLimited: true)),
      (200, #"{"chunk": [\#(Self.event("5")), \#(Self.event("4"))], "end": "p4"}"#),
      (200, #"{"chunk": [\#(Self.event("3")), \#(Self.event("2"))]}"#), (200, Self.sync("s3", [])))
    let seen = TestSubscriber<Recipes.RoomUpdate, any Error>(demand: .max(3))
    recipes.updates(of: matrix.api, since: nil).subscribe(seen)
    #expect(seen.values.map(\.place) == ["s1", "s2", "s3"])
    #expect(
      seen.values.map { $0.events["!a"]?.map(\.eventId) } == [
        ["1"], ["2", "3", "4", "5", "6", "7"], [],
      ])
    #expect(
      matrix.urls.prefix(5) == [
        "/_matrix/client/v3/sync?timeout=0",
        "/_matrix/client/v3/sync?since=s1&timeout=90000",
        "/_matrix/client/v3/rooms/!a/messages?dir=b&from=before-s2&to=s1&limit=100",
        "/_matrix/client/v3/rooms/!a/messages?dir=b&from=p4&to=s1&limit=100",
        "/_matrix/client/v3/sync?since=s2&timeout=90000",
      ])
    #expect(matrix.requests.prefix(5).map(\.timeoutInterval) == [100, 100, 60, 60, 100])
    seen.cancel()

    let telegram = Server(
      (200, #"{"result": [{"update_id": 7}, {"update_id": 8}]}"#), (200, #"{"result": []}"#),
      (200, #"{"result": [{"update_id": 9}]}"#))
    let updates = TestSubscriber<Recipes.Updates.Update, any Error>(demand: .max(3))
    recipes.updates(of: telegram.api, token: "t").subscribe(updates)
    #expect(updates.values.map(\.id) == [7, 8, 9])
    #expect(
      telegram.requests.map { $0.url?.query } == [
        "timeout=50", "offset=9&timeout=50", "offset=9&timeout=50",
        // The next poll begins when the last update of the one before is delivered.
        "offset=10&timeout=50", "offset=10&timeout=50",
      ])
    updates.cancel()

    let kafka = Server(
      (200, #"[{"topic": "t", "partition": 0, "offset": 5, "value": {"a": 1}}]"#), (200, "[]"))
    let records = TestSubscriber<[Recipes.Records.Record], any Error>(demand: .max(2))
    recipes.records(of: kafka.api, for: "g", instance: "i").subscribe(records)
    #expect(records.values.map { $0.map(\.offset) } == [[5], []])
    #expect(Set(kafka.urls).count == 1)
    records.cancel()
  }
}
