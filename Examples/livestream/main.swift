// Follows a feed of server-sent events whose connection breaks and whose token expires. The feed
// continues after the last received event, with a new token, until the server reports the end.
import RESTKit
import Streams

struct FeedAPI: RESTAPI {
  let baseURL: String
  let transport: any Transport
  let session: TokenSession
}

let server = try FeedServer()
let transport = ObservedTransport(.shared)
let api = FeedAPI(
  baseURL: server.baseURL, transport: transport,
  session: TokenSession(
    grant: JSONRefreshGrant(baseURL: server.baseURL),
    store: MemoryTokenStore(Credential(accessToken: "first", refreshToken: "refresh-1"))))

let log = transport.callEvents.sink { event in
  switch event.kind {
  case .sent, .received, .waiting, .refreshed: print("  \(event)")
  default: break
  }
}
// The events are printed where they are delivered, so they appear in order with the lines of the
// log.
let feed = api.serverSentEvents(endpoint: "feed")
  .handleEvents(receiveOutput: { print("\($0.id): \($0.data)") })
for try await _ in feed.values {}
log.cancel()
