import Foundation
import RESTKit
import Streams

// snippet: begin
struct Shop: Sendable {
  let session: TokenSession
  let api: ShopAPI

  init(transport: any Transport) {
    session = TokenSession(
      grant: JSONRefreshGrant(baseURL: "https://id.example.com", transport: transport))
    api = ShopAPI(baseURL: "https://shop.example.com/v1", transport: transport)
  }

  var orders: AnyPublisher<[Order], any Error> {
    session.authorize(api.get(endpoint: "orders"))
      .decode(type: [Order].self)
      .eraseToAnyPublisher()
  }
}
// end

// snippet: json-grant
func jsonGrant(device: String, transport: any Transport) -> JSONRefreshGrant {
  JSONRefreshGrant(
    baseURL: "https://id.example.com", method: .put, endpoint: "session/token",
    names: JSONRefreshGrant.Names(sentRefreshToken: "token", accessToken: "jwt", lifetime: "ttl"),
    extraFields: ["device": device], transport: transport)
}
// end

// snippet: extras
/// Reads `{"access_token": "…", "expires_in_ms": 300000, "device_id": "JLAFKJWSCS"}`.
func deviceGrant(transport: any Transport) -> JSONRefreshGrant {
  JSONRefreshGrant(
    baseURL: "https://chat.example.com", endpoint: "refresh",
    names: JSONRefreshGrant.Names(
      sentRefreshToken: "refresh_token", lifetime: "expires_in_ms", extras: ["device_id"]),
    transport: transport)
}

func inbox(of api: ShopAPI) -> AnyPublisher<RESTResponse, any Error> {
  api.get(endpoint: "inbox").modifyRequest { request, credential in
    let device = credential?.extras["device_id"]?.string
    return request.settingHeader("X-Device", to: device ?? "unknown")
  }
}
// end

// snippet: signed-in
func deviceName(of session: TokenSession) -> String {
  guard let account = session.account else { return "nobody" }
  return "\(account) on \(session.extras["device_id"]?.string ?? "an unknown device")"
}
// end

// snippet: grant
/// `PUT session` with `{"session": {"refresh": "…"}}`, answered with
/// `{"session": {"jwt": "…", "refresh": "…", "validFor": 900}}`.
func grant(for api: ShopAPI) -> ClosureGrant {
  ClosureGrant { credential in
    let refreshToken = credential?.refreshToken
    return api.put(endpoint: "session", body: .json(["session": ["refresh": refreshToken]]))
      .unwrapResultJSON(key: "session")
      .decode(type: RenewedSession.self)
      .map {
        TokenResponse(
          accessToken: $0.jwt, refreshToken: $0.refresh, lifetime: .seconds($0.validFor))
      }
  }
}

nonisolated struct RenewedSession: Decodable, Sendable {
  let jwt: String
  let refresh: String?
  let validFor: Int
}
// end
