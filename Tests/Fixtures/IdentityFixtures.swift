import Foundation
import IdentityKit
import RESTKit
import RESTKitTesting
import Streams
import Testing

package enum Identity {
  package static let baseURL = "https://id.example.com"
  package static let me = StubRequest(.get, urlString: baseURL + "/me")
  package static let refresh = StubRequest(.post, urlString: baseURL + "/auth/refresh")
  package static let credential = Credential(accessToken: "expired", refreshToken: "refresh-1")

  /// A profile with every field.
  package static let profile = """
    {
      "self": {
        "firstName": "Ada", "lastName": "Lovelace", "preferredName": "Countess",
        "email": "ada@example.com", "dateOfBirth": "1815-12-10T00:00:00", "gender": "female",
        "phoneNumber": "+44 20 7946 0000",
        "address": {
          "line1": "12 St James's Square", "line2": "Flat 1", "city": "London",
          "stateOrProvince": "Greater London", "zipCode": "SW1Y 4JH", "countryCode": "GB"
        }
      },
      "isVerified": true, "username": "ada", "isTermsAccepted": false,
      "termsAcceptedDate": "2026-02-03T04:05:06.1234567",
      "createdDate": "2026-02-03T04:05:06"
    }
    """

  /// The decoded form of ``profile``.
  package static let ada = User.Profile(
    firstName: "Ada", lastName: "Lovelace", preferredName: "Countess", email: "ada@example.com",
    dateOfBirth: Date(timeIntervalSince1970: -4_861_728_000), gender: "female",
    phoneNumber: "+44 20 7946 0000",
    address: User.Address(
      line1: "12 St James's Square", line2: "Flat 1", city: "London", state: "Greater London",
      zip: "SW1Y 4JH", countryCode: "GB"),
    isVerified: true, username: "ada", isTermsAccepted: false,
    termsAcceptedDate: Date(timeIntervalSince1970: 1_770_091_506.1234567),
    createdDate: Date(timeIntervalSince1970: 1_770_091_506))

  package static let refreshed = #"{"result": {"accessToken": "fresh"}}"#

  /// A script that begins with a 401 to `GET /me`.
  package static func unauthorized() -> StubAPIResponse {
    StubAPIResponse(request: me, statusCode: 401, result: .json(#"{"title": "expired"}"#))
  }

  /// A script of 401, a response to the refresh, and the response to the retry if there is one.
  package static func script(
    refresh answer: Result<Data, any Error>, status: Int = 200, retry: String? = nil,
    retryStatus: Int = 200
  ) -> StubAPIResponse {
    let script = unauthorized()
      .thenRespondWith(request: refresh, statusCode: status, result: answer)
    guard let retry else { return script }
    return script.thenRespondWith(request: me, statusCode: retryStatus, result: .json(retry))
  }
}

extension IdentityService {
  /// A service over stubs that delivers at once.
  package init(
    _ stubs: StubTransport, tokens: any TokenStore = MemoryTokenStore(Identity.credential)
  ) {
    self.init(
      baseURL: Identity.baseURL, transport: stubs, tokens: tokens, deliveringOn: .immediate)
  }

  /// The error with which fetching a profile ends.
  package func profileError(sourceLocation: SourceLocation = #_sourceLocation) async throws
    -> FetchProfileError
  {
    let result = try await fetchProfile.value
    return try #require(throws: FetchProfileError.self, sourceLocation: sourceLocation) {
      try result.get()
    }
  }
}
