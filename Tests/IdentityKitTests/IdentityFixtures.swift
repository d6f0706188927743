import Foundation
import RESTKit
import RESTKitTesting
import Streams
import Synchronization
import Testing

@testable import IdentityKit

enum Identity {
  static let baseURL = "https://id.example.com"
  static let me = StubRequest(.get, urlString: baseURL + "/me")
  static let refresh = StubRequest(.post, urlString: baseURL + "/auth/refresh")
  static let credential = Credential(accessToken: "expired", refreshToken: "refresh-1")

  /// A profile with every field.
  static let profile = """
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
  static let ada = User.Profile(
    firstName: "Ada", lastName: "Lovelace", preferredName: "Countess", email: "ada@example.com",
    dateOfBirth: Date(timeIntervalSince1970: -4_861_728_000), gender: "female",
    phoneNumber: "+44 20 7946 0000",
    address: User.Address(
      line1: "12 St James's Square", line2: "Flat 1", city: "London", state: "Greater London",
      zip: "SW1Y 4JH", countryCode: "GB"),
    isVerified: true, username: "ada", isTermsAccepted: false,
    termsAcceptedDate: Date(timeIntervalSince1970: 1_770_091_506.1234567),
    createdDate: Date(timeIntervalSince1970: 1_770_091_506))

  static let refreshed = #"{"result": {"accessToken": "fresh"}}"#

  /// A script that begins with a 401 to `GET /me`.
  static func unauthorized() -> StubAPIResponse {
    StubAPIResponse(request: me, statusCode: 401, result: .json(#"{"title": "expired"}"#))
  }

  /// A script of 401, an answer to the refresh, and the answer to the retry if there is one.
  static func script(
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
  init(
    _ stubs: StubTransport, tokens: any TokenStore = MemoryTokenStore(Identity.credential)
  ) {
    self.init(
      baseURL: Identity.baseURL, transport: stubs, tokens: tokens, deliveringOn: .immediate)
  }

  /// The error with which fetching a profile ends.
  func profileError(sourceLocation: SourceLocation = #_sourceLocation) async throws
    -> FetchProfileError
  {
    let result = try await fetchProfile.value
    return try #require(throws: FetchProfileError.self, sourceLocation: sourceLocation) {
      try result.get()
    }
  }
}

/// A store that fails, or does something else, when a test says so.
final class ScriptedTokenStore: TokenStore {
  private let memory: MemoryTokenStore
  private let reads = Atomic<Int>(0)
  private let onRead: @Sendable (Int, MemoryTokenStore) throws -> Void
  private let onWrite: @Sendable () throws -> Void

  /// - Parameters:
  ///   - onRead: Runs after each read, before its result is handed out, with the read's number from
  ///     one.
  ///   - onWrite: Runs before each write.
  init(
    _ memory: MemoryTokenStore = MemoryTokenStore(Identity.credential),
    onRead: @escaping @Sendable (Int, MemoryTokenStore) throws -> Void = { _, _ in },
    onWrite: @escaping @Sendable () throws -> Void = {}
  ) {
    self.memory = memory
    self.onRead = onRead
    self.onWrite = onWrite
  }

  var stored: Credential? { memory.read() }

  func read() throws -> Credential? {
    let credential = memory.read()
    try onRead(reads.add(1, ordering: .acquiringAndReleasing).newValue, memory)
    return credential
  }

  func write(_ credential: Credential?) throws {
    try onWrite()
    memory.write(credential)
  }

  func replace(_ old: Credential?, with new: Credential?) throws -> Bool {
    try onWrite()
    return memory.replace(old, with: new)
  }

  func refreshTurn() -> AnyPublisher<AnyCancellable, any Error> { memory.refreshTurn() }
}
