import Foundation
import Matrix
import RESTKit
import Streams
import Testing

/// matrix-synapse: access tokens of ten seconds, a rotating refresh token, and 429 with a
/// `Retry-After`.
///
/// The tests wait for the server most of the time, so `run.sh` runs them side by side, without the
/// others.
@Suite(
  "Against matrix-synapse", .timeLimit(.minutes(5)),
  .enabled(
    if: ProcessInfo.processInfo.environment["RESTKIT_TEST_SYNAPSE"] != nil,
    "these tests have a run of their own in run.sh"))
struct MatrixTests {
  private struct Message: Sendable {
    let text: String
    let room: RoomID
    let transaction = UUID().uuidString
  }

  /// Sends messages to rooms, all at once, and checks that each arrives once, with tokens that were
  /// good.
  ///
  /// - Parameter send: Sends one message.
  private func send(
    _ count: Int, as user: MatrixUser, rooms: Int = 4,
    by send: @escaping @Sendable (Message) -> MatrixPublisher<String>
  ) async throws {
    let start = ContinuousClock.now
    var messages: [Message] = []
    for _ in 0..<rooms {
      let room = try await user.client(retry: .patient).createRoom(named: "Many").value
      messages += (0..<count / rooms).map { Message(text: "\($0)", room: room) }
    }
    let events = try await withThrowingTaskGroup { group in
      for message in messages {
        group.addTask { try await send(message).value }
      }
      return try await group.reduce(into: Set()) { $0.insert($1) }
    }
    #expect(events.count == count)
    for (room, sent) in Dictionary(grouping: messages, by: \.room) {
      #expect(try await user.texts(in: room).sorted() == sent.map(\.text).sorted())
    }

    let duration = start.duration(to: .now) / .seconds(1)
    let counts = user.wire.counts
    let refreshTokens = user.usedRefreshTokens
    print("\(count) messages: \(Int(duration)) s, \(refreshTokens.count) refreshes, \(counts)")
    // A token may end while its request is on its way. Such a request is sent once more.
    #expect(counts.stale == 0)
    // A token of ten seconds is renewed after five.
    #expect(refreshTokens.count <= Int(duration / 5) + 1)
    #expect(refreshTokens.count >= Int(duration / 10) - 1)
    #expect(Set(refreshTokens).count == refreshTokens.count)
  }

  @Test("200 messages at once, with an API's session and retries, all arrive once")
  func retries() async throws {
    let user = try await MatrixUser("waiting")
    let client = user.client(retry: .patient)
    try await send(200, as: user) {
      client.send($0.text, to: $0.room, transaction: $0.transaction)
    }
    #expect(user.wire.counts.limited > 0)
  }

  @Test("200 messages at once, with a rate limiter besides, all arrive once")
  func limited() async throws {
    let user = try await MatrixUser("limited")
    let client = user.client(
      retry: .patient,
      rateLimiter: RateLimiter(5, per: .seconds(1), burst: 10, maxWait: .seconds(180)))
    try await send(200, as: user) {
      client.send($0.text, to: $0.room, transaction: $0.transaction)
    }
  }

  /// How a session and a retry surround a call.
  enum Nesting: CaseIterable {
    case sessionAroundRetry, retryAroundSession
  }

  @Test(
    "80 messages at once arrive once, with the retry on either side of the session",
    arguments: Nesting.allCases)
  func nested(nesting: Nesting) async throws {
    struct Sent: Decodable, Sendable {
      let event: String
      enum CodingKeys: String, CodingKey { case event = "event_id" }
    }
    let user = try await MatrixUser(nesting == .sessionAroundRetry ? "around" : "inside")
    let client = user.client()
    let policy = RetryPolicy.patient
    try await send(80, as: user) { message in
      let room = message.room.rawValue
      let call = client.put(
        endpoint: "client/v3/rooms/\(room)/send/m.room.message/\(message.transaction)",
        body: .json(["msgtype": "m.text", "body": message.text]), authorization: .none)
      let whole =
        switch nesting {
        case .sessionAroundRetry: client.session.authorize(call.retry(policy))
        case .retryAroundSession: client.session.authorize(call).retry(policy)
        }
      return whole.decode(type: Sent.self, decoder: JSONDecoder()).map(\.event)
        .mapError(MatrixFailure.init).eraseToAnyPublisher()
    }
  }

  @Test("four calls with a turn each 12 s need four turns, although a token lives 10 s")
  func slowLine() async throws {
    let user = try await MatrixUser("line")
    let client = user.client(
      retry: RetryPolicy(),
      rateLimiter: RateLimiter(1, per: .seconds(12), maxWait: .seconds(60)))
    let before = user.wire.counts.sent
    let users = try await withThrowingTaskGroup { group in
      for _ in 0..<4 { group.addTask { try await client.userID.value } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(users == Array(repeating: "@line:restkit.test", count: 4))
    let refreshes = user.usedRefreshTokens.count
    #expect(user.wire.counts.refused == 0)
    #expect(user.wire.counts.sent - before == 4 + refreshes)
    #expect(refreshes <= 4)
  }

  @Test("a retry after a Retry-After of two token lives carries the token of its moment")
  func longPause() async throws {
    let owner = try await MatrixUser("writer").client()
    var rooms: [RoomID] = []
    for _ in 0..<2 {
      let room = try await owner.createRoom(named: "Joined").value
      try await owner.invite("@joins:restkit.test", to: room).value
      rooms.append(room)
    }
    let user = try await MatrixUser("joins")
    let client = user.client()
    let start = ContinuousClock.now
    try await client.join(rooms[0]).value

    // Other calls renew the token meanwhile.
    let others = user.client(rateLimiter: RateLimiter(1, per: .seconds(6)))
    async let users = [others.userID.value, others.userID.value]
    try await client.join(rooms[1]).value

    #expect(try await users == ["@joins:restkit.test", "@joins:restkit.test"])
    #expect(start.duration(to: .now) > .seconds(20))
    #expect(user.wire.counts.limited == 1)
    #expect(user.wire.counts.refused == 0)
    for room in rooms { #expect(try await user.texts(in: room).isEmpty) }
  }

  @Test("long polls of 13 s each bring every message once, although a token lives 10 s")
  func longPolls() async throws {
    let user = try await MatrixUser("follower")
    let room = try await user.client().createRoom(named: "Followed").value
    // The first turn is taken, so that the first poll waits, too.
    let writer = user.client(
      rateLimiter: RateLimiter(1, per: .seconds(13), maxWait: .seconds(60)))
    _ = try await writer.userID.value
    let sending = Task {
      for text in ["1", "2", "3"] { _ = try await writer.send(text, to: room).value }
    }
    var texts: [String] = []
    for try await update in user.client().updates().values(buffering: .prefetch(1)) {
      texts += (update.events[room] ?? []).compactMap(\.body)
      if texts.count >= 3 { break }
    }
    try await sending.value
    #expect(texts == ["1", "2", "3"])
    #expect(user.wire.counts.refused == 0)
  }
}

extension RetryPolicy {
  /// The default policy with time for a machine that does other work as well.
  fileprivate static var patient: RetryPolicy { RetryPolicy(totalTime: .seconds(180)) }
}
