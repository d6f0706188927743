import Fixtures
import Foundation
import Streams
import StreamsTesting
import Testing

@testable import RESTKit

@Suite("TR-31: the turn to refresh the credential of a token file")
struct RefreshTurnTests {
  private let folder: TokenFolder
  private let scheduler = TestScheduler()

  init() throws {
    folder = try TokenFolder()
    try folder.store.write(.number(1))
  }

  private var store: FileTokenStore { FileTokenStore(file: folder.file, waitingOn: scheduler) }

  private func turns(
    of store: FileTokenStore
  ) -> TestSubscriber<AnyCancellable, any Error> {
    let subscriber = TestSubscriber<AnyCancellable, any Error>()
    store.refreshTurn().subscribe(subscriber)
    return subscriber
  }

  @Test("A free turn comes at once, even before the first sign-in")
  func first() throws {
    #expect(turns(of: store).values.count == 1)
    let other = FileTokenStore(file: folder.url.appendingPathComponent("new/token"))
    #expect(turns(of: other).values.count == 1)
  }

  @Test("A turn goes to one session at a time, and to the next one when it is returned")
  func oneAtATime() throws {
    let first = turns(of: store)
    let second = turns(of: store)
    scheduler.advance(by: .seconds(10))
    #expect(first.values.count == 1)
    #expect(second.values.isEmpty)

    first.values.first?.cancel()
    scheduler.advance(by: .milliseconds(19))
    #expect(second.values.isEmpty)
    scheduler.advance(by: .milliseconds(1))
    #expect(second.values.count == 1)
    #expect(second.completion != nil)
  }

  @Test("A turn blocks no writes: a sign-out does not wait for a refresh")
  func signOutMeanwhile() throws {
    let turn = turns(of: store)
    try folder.store.write(nil)
    #expect(try folder.store.read() == nil)
    #expect(turn.values.count == 1)
  }

  @Test("A cancel gives up the wait for a turn")
  func cancel() throws {
    let first = turns(of: store)
    let second = turns(of: store)
    second.cancel()
    first.values.first?.cancel()
    scheduler.advance(by: .seconds(10))
    #expect(second.values.isEmpty)
    #expect(turns(of: store).values.count == 1)
  }

  @Test("A turn is free again after its process ends")
  func endedProcess() async throws {
    await #expect(processExitsWith: .exitCode(42)) { [path = folder.file.path as String] in
      let turn = try await FileTokenStore(file: URL(filePath: path)).refreshTurn().value
      withExtendedLifetime(turn) { _exit(42) }
    }
    #expect(turns(of: store).values.count == 1)
  }

  @Test("A turn fails if the folder is refused")
  func refused() throws {
    try folder.setMode(0o755, of: folder.url)
    let subscriber = turns(of: store)
    #expect(subscriber.values.isEmpty)
    guard case .failure(let error as FileTokenStoreError) = subscriber.completion else {
      Issue.record("no FileTokenStoreError")
      return
    }
    #expect(error.kind == .openToOthers)
  }
}
