import Foundation
import RESTKit
import RESTKitSignIn
import RESTKitTesting
import Streams
import Testing

extension IntegrationTests.SignIn {
  @Suite("By device code, at django-oauth-toolkit")
  struct Device {
    @Test(
      "a user approves on another device, and the session calls the API",
      arguments: TransportKind.allCases)
    func agreed(kind: TransportKind) async throws {
      let device = try await SigningDevice(kind)
      let shown = try await device.begin()
      #expect(shown.lifetime == .seconds(1800))
      #expect(shown.completeVerificationURI?.absoluteString.contains(shown.userCode) == true)
      #expect(try await device.ask() == .seconds(5))
      #expect(try await device.answers == [400])

      try await device.user.decide(.accept, on: shown.userCode, at: shown.verificationURI)
      try await device.askForTheLastTime()

      let credential = try #require(device.store.read())
      #expect(credential.scope == "read")
      #expect(try await device.server.status(of: credential.accessToken) == 200)
      #expect(try await device.answers == [400, 200])
      // The credential of the sign-in fetches the next token.
      _ = try await RefreshTokenGrant(device.client).token(renewing: credential).value
    }

    @Test("a declined sign-in ends with the server's error")
    func declined() async throws {
      let device = try await SigningDevice()
      let shown = try await device.begin()
      try await device.user.decide(.deny, on: shown.userCode, at: shown.verificationURI)
      let error = await #expect(throws: SignInError.self) { try await device.askForTheLastTime() }
      #expect(error?.refusalCode == "access_denied")
      #expect(device.store.read() == nil)
    }

    @Test("a code that has expired at the server ends the sign-in")
    func expired() async throws {
      let device = try await SigningDevice()
      let shown = try await device.begin()
      try await device.server.expire(shown.userCode)
      // The server takes note of the end when somebody enters the code.
      try await device.user.enter(shown.userCode, at: shown.verificationURI)
      await #expect(throws: SignInError.expired) { try await device.askForTheLastTime() }
    }

    @Test("a device that is not approved stops polling when its code expires")
    func unconfirmed() async throws {
      let device = try await SigningDevice()
      _ = try await device.begin()
      #expect(try await device.ask() == .seconds(5))
      await #expect(throws: SignInError.expired) {
        try await device.askForTheLastTime(after: .seconds(1800))
      }
    }

    @Test("slow_down makes all later pauses five seconds longer")
    func slowDown() async throws {
      let device = try await SigningDevice(slowDown: 1)
      let shown = try await device.begin()
      #expect(try await device.ask() == .seconds(5))
      #expect(try await device.ask() == .seconds(10))
      #expect(try await device.ask(after: .seconds(10)) == .seconds(10))
      try await device.user.decide(.accept, on: shown.userCode, at: shown.verificationURI)
      try await device.askForTheLastTime(after: .seconds(10))
      #expect(try await device.answers == [400, 400, 400, 200])
    }

    @Test("a server that does not know the client issues no code")
    func unknownClient() async throws {
      let server = try OAuthServer(.default)
      let client = OAuthClient(
        server: try await server.discovered(), id: "nobody", authentication: .none,
        transport: server.transport)
      let grant = DeviceAuthorizationGrant(client) { _ in Issue.record("a code was shown") }
      let error = await #expect(throws: SignInError.self) {
        try await grant.credential(at: { Date() }).value
      }
      #expect(error?.refusalCode == "invalid_request")
    }
  }
}
