import Foundation
import Matrix
import Observation
import RESTKit
import Streams
import Testing

/// The client of `Examples/Matrix` against matrix-synapse, with access tokens of ten seconds and
/// five messages a second.
@Suite(
  "The Matrix client against matrix-synapse", .timeLimit(.minutes(5)),
  .enabled(
    if: ProcessInfo.processInfo.environment["RESTKIT_TEST_SYNAPSE"] != nil,
    "these tests have a run of their own in run.sh"))
struct MatrixClientTests {
  /// What a user has seen of a room.
  private final class Follower: Sendable {
    let texts = CurrentValueSubject<[String], Never>([])
    let end = CurrentValueSubject<Subscribers.Completion<MatrixFailure>?, Never>(nil)
    private let room: RoomID
    private let place = CurrentValueSubject<String?, Never>(nil)
    private let following = Lock<AnyCancellable?>(nil)

    init(_ room: RoomID) { self.room = room }

    /// Follows from the place of the last update on.
    func follow(_ client: MatrixService) {
      let updates = client.updates(since: place.value).sink(
        receiveCompletion: { [end] in end.send($0) },
        receiveValue: { [texts, room, place] update in
          place.send(update.nextBatch)
          texts.send(texts.value + (update.events[room] ?? []).compactMap(\.body))
        })
      following.withLock { $0 = updates }
    }

    func stop() { following.withLock { $0 = nil } }
  }

  /// Makes a room of two users.
  private func room(of owner: MatrixService, with guest: MatrixService) async throws -> RoomID {
    let room = try await owner.createRoom(named: "Tea").value
    try await owner.invite(try await guest.userID.value, to: room).value
    try await guest.join(room).value
    return room
  }

  @Test(
    "200 messages arrive once and in order, over a server that is killed and a pause of the reader")
  func restart() async throws {
    let server = try SynapseServer()
    try server.start()
    try await server.answers()
    let (alice, bob) = try await (
      MatrixUser("alice", at: server.address), MatrixUser("bob", at: server.address)
    )
    // It repeats a message until the server is back.
    let writer = alice.client(
      retry: RetryPolicy(
        maxAttempts: 200, maxDelay: .seconds(1), retryAfter: MatrixError.wait,
        totalTime: .seconds(60), budget: nil))
    let reader = bob.client(retry: .init())
    let room = try await room(of: writer, with: reader)
    let follower = Follower(room)
    follower.follow(reader)

    let start = ContinuousClock.now
    for number in 1...200 {
      switch number {
      case 60:
        server.kill()
        try server.start()
      case 120: follower.stop()
      // More than the ten events of a room that the server sends have happened meanwhile.
      case 150: follower.follow(reader)
      default: break
      }
      _ = try await writer.send("\(number)", to: room).value
    }
    _ = try await follower.texts.first { $0.count >= 200 }.value
    print("200 messages over a restart: \(start.duration(to: .now) / .seconds(1)) s")
    print("the writer: \(alice.wire.counts), the reader: \(bob.wire.counts)")
    #expect(follower.texts.value == (1...200).map { "\($0)" })
    #expect(follower.end.value == nil)
    #expect(alice.wire.counts.limited > 0)
    #expect(bob.usedRefreshTokens.count > 2)
    #expect(Set(bob.usedRefreshTokens).count == bob.usedRefreshTokens.count)
  }

  @Test("History comes in pages, and a file goes up and down with its progress")
  func historyAndMedia() async throws {
    let user = try await MatrixUser("media")
    let client = user.client(retry: .init())
    let room = try await client.createRoom(named: "Files").value
    for number in 1...10 { _ = try await client.send("\(number)", to: room).value }
    let pages = try await client.history(of: room, pageSize: 4).allValues
    #expect(pages.allSatisfy { $0.chunk.count <= 4 })
    #expect(
      pages.flatMap(\.chunk).compactMap(\.body) == (1...10).reversed().map { "\($0)" })

    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let source = folder.appending(path: "5 MB & more.bin")
    let bytes = Data((0..<5_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
    try bytes.write(to: source)
    let progress = Lock<[TransferProgress]>([])
    let address = try await client.upload(source, contentType: "application/octet-stream") { step in
      progress.withLock { $0.append(step) }
    }.value
    let sent = progress.withLock(\.self).map(\.completedBytes)
    #expect(sent.count > 2 && sent == sent.sorted() && sent.last == Int64(bytes.count))

    let copy = folder.appending(path: "copy.bin")
    let events = try await client.download(address, to: copy).allValues
    #expect(events.count > 2)
    #expect(try Data(contentsOf: copy) == bytes)
  }

  @Test("A search as one types finds a user with one request")
  @MainActor
  func search() async throws {
    let user = try await MatrixUser("searching")
    let before = user.wire.counts.sent
    let field = UserSearch(user.client())
    for term in ["f", "fo", "fol", "follo"] { field.term = term }
    await withCheckedContinuation { continuation in
      withObservationTracking {
        _ = field.result
      } onChange: {
        continuation.resume()
      }
    }
    #expect(try field.result.get().map(\.id) == ["@follower:restkit.test"])
    #expect(user.wire.counts.sent - before - user.usedRefreshTokens.count == 1)
  }

  @Test("A device is deleted with the right password only, and is signed out then")
  func devices() async throws {
    let (user, other) = try await (MatrixUser("devices"), MatrixUser("devices"))
    let client = user.client()
    let device = try #require(other.client().device)
    await #expect {
      try await client.deleteDevice(device, password: "wrong").value
    } throws: { error in
      guard case MatrixFailure.refused(let words, _) = error else { return false }
      return words.errcode == "M_FORBIDDEN"
    }
    #expect(try await other.client().userID.value == "@devices:restkit.test")
    try await client.deleteDevice(device, password: "devices").value
    await #expect {
      _ = try await other.client().userID.value
    } throws: { error in
      guard case MatrixFailure.signedOut(soft: false) = error else { return false }
      return true
    }
    #expect(other.client().device == nil)
  }

  @Test("A sign-out with an expired token ends the updates at once and the device at the server")
  func signOut() async throws {
    let (user, other) = try await (MatrixUser("leaving"), MatrixUser("leaving"))
    let client = user.client()
    let device = try #require(client.device)
    let follower = Follower(try await client.createRoom(named: "Left").value)
    follower.follow(client)
    // The open poll has the token of before. A token lives ten seconds on the server's clock, which
    // no virtual time moves.
    try await Task.sleep(for: .seconds(11))
    let start = ContinuousClock.now
    try await client.signOut().value
    let end = try await follower.end.first { $0 != nil }.value
    #expect(start.duration(to: .now) < .seconds(5))
    guard case .failure(.signedOut(soft: false)) = end else {
      Issue.record("\(String(describing: end))")
      return
    }
    #expect(client.device == nil)
    let devices =
      try await other.client().get(endpoint: "client/v3/devices")
      .decode(type: JSONValue.self).value["devices"]?.array ?? []
    #expect(!devices.contains { $0["device_id"]?.string == device })
    #expect(devices.contains { $0["device_id"]?.string == other.client().device })
  }
}
