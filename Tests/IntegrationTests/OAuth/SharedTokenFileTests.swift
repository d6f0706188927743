import Foundation
import RESTKit
import RESTKitTesting
import Streams
import Testing

extension IntegrationTests.OAuth {
  /// The test binary runs itself as the two processes, because they need its libraries, and the
  /// package has no product only for tests.
  @Suite("TR-31: two processes that share a token file")
  struct SharedTokenFile {
    @Test(
      "each process makes 200 calls with tokens of one second, and the session lasts",
      arguments: [SharedSession.Renewal.aheadOfEnd, .afterRefusal])
    func twoProcesses(renewal: SharedSession.Renewal) async throws {
      let server = try OAuthServer(.default)
      let registration = try await server.register(lifetime: 1)
      let file = FileManager.default.temporaryDirectory
        .appendingPathComponent("RESTKit-\(UUID().uuidString)/credential.json")
      defer { try? FileManager.default.removeItem(at: file.deletingLastPathComponent()) }
      let store = FileTokenStore(file: file)
      try store.write(Credential(try await server.signIn(registration)))

      let shared = SharedSession(file: file.path, registration: registration, renewal: renewal)
      let begun = ContinuousClock.now
      async let first: Void = process(shared)
      async let second: Void = process(shared)
      _ = await (first, second)
      let seconds = Double((ContinuousClock.now - begun).components.seconds + 1)

      // A refresh token that two used would have been refused, and all of them with it.
      let refreshes = try await server.log(of: registration).dropFirst()
      #expect(refreshes.allSatisfy { $0 == .init(grant: "refresh_token", status: 200) })
      #expect(try store.read() != nil)
      // 200 calls of 25 ms take five seconds; no token is renewed before half of its life is over.
      #expect(refreshes.count >= 4)
      #expect(Double(refreshes.count) <= 2 * seconds + 1)
      print("two processes: \(refreshes.count) refreshes in \(Int(seconds)) s, \(renewal)")
    }

    private func process(_ shared: SharedSession) async {
      await #expect(processExitsWith: .success) { [shared = shared as SharedSession] in
        try await shared.makeCalls(200)
      }
    }
  }
}

/// The data that a process needs to take part in a session.
struct SharedSession: Codable, Sendable {
  /// The reason for which a session refreshes its token.
  enum Renewal: Codable, Sendable {
    /// The lifetime that the server states.
    case aheadOfEnd
    /// The API's 401, since the server says nothing.
    case afterRefusal
  }

  let file: String
  let registration: OAuthRegistration
  let renewal: Renewal

  /// Makes calls one after the other, each of which has to be authorized.
  ///
  /// Only a process that did not run for as long as a token lives may see one refused.
  func makeCalls(_ count: Int) async throws {
    let server = try OAuthServer(.default)
    let grant = RefreshTokenGrant(server.client(registration))
    let session = TokenSession(
      grant: ClosureGrant { [renewal] credential in
        grant.token(renewing: credential)
          .map { response in
            var response = response
            if renewal == .afterRefusal { response.lifetime = nil }
            return response
          }
          .mapError { $0 as any Error }
      }, store: FileTokenStore(file: URL(filePath: file)))
    var refused = 0
    for _ in 0..<count {
      do {
        let response = try await session.authorize(server.get(endpoint: "slow")).value
        #expect(response.statusCode == 200)
      } catch let error as RESTError where error.isUnauthorized {
        refused += 1
      }
    }
    #expect(refused < 10)
  }
}
