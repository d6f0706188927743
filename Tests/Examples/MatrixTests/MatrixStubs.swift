import Foundation
import Matrix
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting

let home = "https://matrix.example"
let room = RoomID(rawValue: "!r:example")

/// A request to the client API.
func at(_ method: HTTPMethod, _ path: String) -> StubRequest {
  StubRequest(method, urlString: "\(home)/_matrix/client/v3/\(path)")
}

/// `{"access_token": …}` of a sign-in or a refresh.
func tokens(_ access: String, _ refresh: String, lifetime: Int = 300_000) -> Result<Data, any Error>
{
  .json(
    """
    {"user_id": "@alice:example", "device_id": "DEV", "access_token": "\(access)",
     "refresh_token": "\(refresh)", "expires_in_ms": \(lifetime)}
    """)
}

/// An answer of `/sync` with texts of one room.
func batch(
  _ next: String, _ texts: [String] = [], limited: Bool = false
) -> Result<Data, any Error> {
  .json(
    """
    {"next_batch": "\(next)", "rooms": {"join": {"!r:example": {"timeline": {
      "events": [\(texts.map(event).joined(separator: ","))],
      "limited": \(limited), "prev_batch": "p-\(next)"}}}}}
    """)
}

/// An event of `/sync` or `/messages`, whose id is made of its text.
func event(_ text: String) -> String {
  """
  {"type": "m.room.message", "sender": "@bob:example", "event_id": "$\(text)",
   "origin_server_ts": 1795599000000, "content": {"msgtype": "m.text", "body": "\(text)"}}
  """
}

/// The body of a refusal.
func refused(_ code: String, _ more: String = "") -> Result<Data, any Error> {
  .json(#"{"errcode": "\#(code)", "error": "No."\#(more)}"#)
}

/// A service whose user has signed in with tokens that live for five minutes.
func signedIn(_ stubs: StubTransport, lifetime: Duration = .seconds(300)) throws -> MatrixService {
  let service = MatrixService(homeserver: home, transport: stubs)
  let now = VirtualTime.current?.date ?? Date()
  try service.session.signIn(
    Credential(
      accessToken: "a1", refreshToken: "r1", issuedAt: now,
      expiresAt: now.addingTimeInterval(TimeInterval(lifetime.components.seconds)),
      account: "@alice:example", extras: ["device_id": "DEV"]))
  return service
}

extension MatrixPublisher<Update> {
  /// The texts of a room's messages, as they come.
  var texts: TestSubscriber<[String], MatrixFailure> {
    let subscriber = TestSubscriber<[String], MatrixFailure>()
    map { ($0.events[room] ?? []).compactMap(\.body) }.filter { !$0.isEmpty }
      .subscribe(subscriber)
    return subscriber
  }
}

extension Publisher {
  /// Subscribes with unlimited demand.
  var test: TestSubscriber<Output, Failure> {
    let subscriber = TestSubscriber<Output, Failure>()
    subscribe(subscriber)
    return subscriber
  }
}
