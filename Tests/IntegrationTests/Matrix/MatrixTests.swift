import Foundation
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
  /// Sends messages to rooms, all at once, and checks that each arrives once, with tokens that were
  /// good.
  ///
  /// - Parameter send: Sends one message.
  private func send(
    _ count: Int, as user: MatrixUser, rooms: Int = 4,
    by send: @escaping @Sendable (NewMessage) -> AnyPublisher<NewMessage.Response, any Error>
  ) async throws {
    let start = ContinuousClock.now
    var messages: [NewMessage] = []
    for _ in 0..<rooms {
      let room = try await user.api(retry: .forPosts).send(NewRoom()).room
      messages += (0..<count / rooms).map { NewMessage(text: "\($0)", room: room) }
    }
    let events = try await withThrowingTaskGroup { group in
      for message in messages {
        group.addTask { try await send(message).value.event }
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
    let user = try await MatrixUser(.waiting)
    let api = try user.api(retry: .patient)
    try await send(200, as: user) { api.publisher(for: $0) }
    #expect(user.wire.counts.limited > 0)
  }

  @Test("200 messages at once, with a rate limiter besides, all arrive once")
  func limited() async throws {
    let user = try await MatrixUser(.limited)
    let api = try user.api(
      retry: .patient,
      rateLimiter: RateLimiter(5, per: .seconds(1), burst: 10, maxWait: .seconds(180)))
    try await send(200, as: user) { api.publisher(for: $0) }
  }

  /// How a session and a retry surround a call.
  enum Nesting: CaseIterable {
    case sessionAroundRetry, retryAroundSession
  }

  @Test(
    "80 messages at once arrive once, with the retry on either side of the session",
    arguments: Nesting.allCases)
  func nested(nesting: Nesting) async throws {
    let user = try await MatrixUser(nesting == .sessionAroundRetry ? .around : .inside)
    let api = try MatrixAPI(transport: user.transport)
    let policy = RetryPolicy.patient
    try await send(80, as: user) { [session = user.session] message in
      let call = api.put(endpoint: "\(message.path)", body: message.body)
      let whole =
        switch nesting {
        case .sessionAroundRetry: session.authorize(call.retry(policy))
        case .retryAroundSession: session.authorize(call).retry(policy)
        }
      return whole.decode(type: NewMessage.Response.self).eraseToAnyPublisher()
    }
  }

  @Test("four calls with a turn each 12 s need four turns, although a token lives 10 s")
  func slowLine() async throws {
    let user = try await MatrixUser(.line)
    let api = try user.api(
      retry: RetryPolicy(),
      rateLimiter: RateLimiter(1, per: .seconds(12), maxWait: .seconds(60)))
    let before = user.wire.counts.sent
    let users = try await withThrowingTaskGroup { group in
      for _ in 0..<4 { group.addTask { try await api.send(WhoAmI()).user } }
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
    let owner = try await MatrixUser(.writer)
    var rooms: [String] = []
    for _ in 0..<2 { rooms.append(try await owner.api().send(NewRoom()).room) }
    let user = try await MatrixUser(.joins)
    let api = try user.api(retry: .forPosts)
    let start = ContinuousClock.now
    try await api.send(JoinRoom(room: rooms[0]))

    // Other calls renew the token meanwhile.
    let others = try user.api(rateLimiter: RateLimiter(1, per: .seconds(6)))
    async let users = [others.send(WhoAmI()).user, others.send(WhoAmI()).user]
    try await api.send(JoinRoom(room: rooms[1]))

    #expect(try await users == ["@joins:restkit.test", "@joins:restkit.test"])
    #expect(start.duration(to: .now) > .seconds(20))
    #expect(user.wire.counts.limited == 1)
    #expect(user.wire.counts.refused == 0)
    for room in rooms { #expect(try await user.texts(in: room).isEmpty) }
  }

  @Test("long polls of 13 s each bring every message once, although a token lives 10 s")
  func longPolls() async throws {
    let user = try await MatrixUser(.follower)
    let room = try await user.api().send(NewRoom()).room
    // The first turn is taken, so that the first poll waits, too.
    let writer = try user.api(
      rateLimiter: RateLimiter(1, per: .seconds(13), maxWait: .seconds(60)))
    _ = try await writer.send(WhoAmI())
    let sending = Task {
      for text in ["1", "2", "3"] {
        _ = try await writer.send(NewMessage(text: text, room: room))
      }
    }
    let news = try user.api(retry: RetryPolicy())
      .pages(from: RoomNews()) { _, answer in RoomNews(since: answer.next) }
    var texts: [String] = []
    for try await answer in news.values(buffering: .prefetch(1)) {
      let events = answer.rooms?.join?[room]?.timeline.events ?? []
      texts += events.compactMap(\.text)
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

  /// A policy that repeats a POST, which the server takes again.
  fileprivate static var forPosts: RetryPolicy {
    var policy = RetryPolicy.patient
    policy.methods.insert(.post)
    return policy
  }
}
