import Fixtures
import Foundation
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

@testable import RESTKit

@Suite("A session with a token file")
final class FileTokenStoreSessionTests: Sendable {
  private let folder: TokenFolder
  private let isDiskFull = Lock(false)
  private let refreshes = Lock(0)

  init() throws {
    folder = try TokenFolder()
    try folder.store.write(.number(1))
  }

  /// A session whose refreshes bring the credentials with the numbers 2, 3 and so on.
  private func session() -> TokenSession {
    let store = FileTokenStore(file: folder.file) { [self] (_) throws(POSIXError) in
      if isDiskFull.withLock({ $0 }) { throw POSIXError(.ENOSPC) }
    }
    let grant = ClosureGrant { [self] _ in
      let number = refreshes.withLock { count in
        count += 1
        return count + 1
      }
      let credential = Credential.number(number)
      return Just(
        TokenResponse(
          accessToken: credential.accessToken, refreshToken: credential.refreshToken,
          lifetime: .seconds(1))
      )
      .setFailureType(to: (any Error).self)
    }
    return TokenSession(
      grant: grant, store: store, scheduler: TestScheduler(),
      date: { Date(timeIntervalSinceReferenceDate: 0.1) })
  }

  /// One request that the API refuses for all tokens but one.
  private func call(
    _ session: TokenSession, acceptedNumber: Int
  ) -> AnyPublisher<RESTResponse, any Error> {
    let api = TestAPI(transport: AnsweringTransport(taking: "a-\(acceptedNumber)"))
    return session.authorize(api.get(endpoint: "me"))
  }

  @Test("TR-20: on a full disk the session continues from memory, reports it and refreshes once")
  func diskFull() async throws {
    let session = session()
    isDiskFull.withLock { $0 = true }
    await #expect {
      try await call(session, acceptedNumber: 2).value
    } throws: { error in
      guard case TokenSessionError.storeNotWritable(let cause as FileTokenStoreError) = error
      else { return false }
      return cause.kind == .noSpace
    }
    #expect(try folder.store.read() == .number(1))

    for _ in 0..<3 { #expect(try await call(session, acceptedNumber: 2).value.statusCode == 200) }
    #expect(refreshes.withLock { $0 } == 1)

    isDiskFull.withLock { $0 = false }
    #expect(try await call(session, acceptedNumber: 3).value.statusCode == 200)
    #expect(try folder.store.read()?.accessToken == "a-3")
  }

  @Test("TR-21: a refused file signs nobody out, and the session continues once it is accepted")
  func refusedFile() async throws {
    let session = session()
    try folder.setMode(0o644, of: folder.file)
    await #expect {
      try await call(session, acceptedNumber: 1).value
    } throws: { error in
      guard case TokenSessionError.storeNotReadable(let cause as FileTokenStoreError) = error
      else { return false }
      return cause.kind == .openToOthers
    }
    try folder.setMode(0o600, of: folder.file)
    #expect(try await call(session, acceptedNumber: 1).value.statusCode == 200)
    #expect(refreshes.withLock { $0 } == 0)
  }

  @Test("TR-31: a session uses another process's token, even a short-lived one, without a refresh")
  func renewedElsewhere() async throws {
    let sessions = [session(), session()]
    for acceptedNumber in [1, 2, 2, 2] {
      for session in sessions {
        let response = try await call(session, acceptedNumber: acceptedNumber).value
        #expect(response.statusCode == 200)
      }
    }
    #expect(refreshes.withLock { $0 } == 1)
    // A token's end is no round number in the file, and is matched nevertheless.
    #expect(try await call(sessions[1], acceptedNumber: 3).value.statusCode == 200)
    #expect(try folder.store.read()?.accessToken == "a-3")
  }

  @Test(
    "TR-27: another process's sign-out is permanent: the refresh finds it, and restores nothing")
  func signOutElsewhere() async throws {
    let session = session()
    #expect(try await call(session, acceptedNumber: 1).value.statusCode == 200)
    try folder.store.write(nil)
    await #expect {
      try await call(session, acceptedNumber: 2).value
    } throws: { error in
      if case TokenSessionError.signedOut = error { true } else { false }
    }
    #expect(try folder.store.read() == nil)
    #expect(refreshes.withLock { $0 } == 0)
  }
}
