import Fixtures
import Foundation
import RESTKit
import RESTKitTesting
import Streams
import Testing

@testable import IdentityKit

@Suite("Fetching a profile over real sockets", .timeLimit(.minutes(10)))
struct IdentitySocketTests {
  /// An identity API that takes the token `fresh`, and answers a refresh as it is told.
  private func server(
    refresh: MockResponse = .json(Identity.refreshed), profile: String = Identity.profile,
    accepted: String = "Bearer fresh"
  ) throws -> MockServer {
    try MockServer { request in
      switch (request.method, request.path) {
      case ("GET", "/me") where request.value(for: "Authorization") == accepted: .json(profile)
      case ("GET", "/me"):
        MockResponse(
          status: 401, headers: [("WWW-Authenticate", "Bearer realm=\"id\"")],
          body: Data("expired".utf8))
      case ("POST", "/auth/refresh"): refresh
      default: MockResponse(status: 404)
      }
    }
  }

  private func service(_ server: MockServer, _ kind: TransportKind) throws -> IdentityService {
    IdentityService(
      baseURL: server.baseURL, transport: try kind.make(),
      tokens: MemoryTokenStore(Identity.credential), deliveringOn: .immediate)
  }

  @Test("A 401, a refresh and a success are right on the wire", arguments: TransportKind.allCases)
  func refresh(kind: TransportKind) async throws {
    let server = try server()
    defer { server.stop() }
    let profile = try await service(server, kind).fetchProfile.value.get()
    #expect(profile == Identity.ada)
    let requests = server.requests
    #expect(requests.map(\.method) == ["GET", "POST", "GET"])
    #expect(requests.map(\.target) == ["/me", "/auth/refresh", "/me"])
    #expect(
      requests.map { $0.values(for: "Authorization") } == [
        ["Bearer expired"], [], ["Bearer fresh"],
      ])
    #expect(requests.allSatisfy { $0.values(for: "Accept") == ["application/json"] })
    #expect(requests.allSatisfy { $0.values(for: "Content-Type") == ["application/json"] })
    #expect(requests.map(\.body) == [Data(), Data(#"{"refreshToken":"refresh-1"}"#.utf8), Data()])
  }

  @Test("A refresh that fails ends the fetch of a profile", arguments: TransportKind.allCases)
  func refreshFails(kind: TransportKind) async throws {
    for (answer, isExpected) in [
      (.text(""), { ($0 as? RESTError)?.kind == .malformedResponse }),
      (.json(#"{"result": {"accessToken": ""}}"#), { $0 is RefreshError }),
      (.json("{}", status: 400), { ($0 as? RESTError)?.kind == .status(400) }),
      (.json("{}", status: 401), { ($0 as? RESTError)?.kind == .status(401) }),
      (
        MockResponse(status: 200, delivery: .closeBeforeResponse),
        { ($0 as? RESTError)?.kind == .transport(.connectionClosedBeforeResponse) }
      ),
    ] as [(MockResponse, (any Error) -> Bool)] {
      let server = try server(refresh: answer)
      defer { server.stop() }
      let error = try await service(server, kind).profileError()
      guard case .session(let failure) = error, let cause = failure.cause else {
        Issue.record("\(error)")
        continue
      }
      #expect(isExpected(cause), "\(cause)")
      // A response that was lost is asked for once more.
      let isLost = (cause as? RESTError)?.kind == .transport(.connectionClosedBeforeResponse)
      #expect(server.requests.map(\.method) == ["GET", "POST"] + (isLost ? ["POST"] : []))
    }
  }

  @Test("A second 401 is final", arguments: TransportKind.allCases)
  func secondUnauthorized(kind: TransportKind) async throws {
    let server = try server(accepted: "nothing")
    defer { server.stop() }
    let error = try await service(server, kind).profileError()
    guard case .unauthorized(let cause) = error else {
      Issue.record("\(error)")
      return
    }
    #expect(cause.body == Data("expired".utf8))
    #expect(server.requests.count == 3)
  }

  @Test("The body Invalid is the malformed-response error", arguments: TransportKind.allCases)
  func invalid(kind: TransportKind) async throws {
    let server = try server(profile: "Invalid", accepted: "Bearer expired")
    defer { server.stop() }
    let error = try await service(server, kind).profileError()
    guard case .malformedResponse(let cause) = error else {
      Issue.record("\(error)")
      return
    }
    #expect(cause.kind == .malformedResponse)
    #expect(server.requests.count == 1)
  }

  @Test("A missing server is the call's failure", arguments: TransportKind.allCases)
  func nobodyThere(kind: TransportKind) async throws {
    let server = try server()
    let service = try service(server, kind)
    server.stop()
    let error = try await service.profileError()
    guard case .requestFailed(let cause as RESTError) = error else {
      Issue.record("\(error)")
      return
    }
    #expect(cause.kind == .transport(.connectionRefused))
  }
}
