import Fixtures
import Foundation
import RESTKit
import Streams
import StreamsTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Calls that wait for one refresh, over a transport that answers at once", .leakFree)
struct EndOfWaitTests {
  private final class Switch: Sendable {
    private let isOn = Lock(false)

    /// - Returns: Whether it was on already.
    func turn() -> Bool {
      isOn.withLock { isOn in
        defer { isOn = true }
        return isOn
      }
    }
  }

  /// A session whose token has expired, and whose first refresh the test ends.
  private final class World: Sendable {
    let session: TokenSession
    let first = PassthroughSubject<TokenResponse, any Error>()
    private let sent = Lock<[String]>([])

    init() {
      let (first, isLater) = (first, Switch())
      session = TokenSession(
        grant: ClosureGrant { _ in
          guard isLater.turn() else { return first.eraseToAnyPublisher() }
          return Just(TokenResponse(accessToken: "t2", lifetime: .seconds(60)))
            .setFailureType(to: (any Error).self).eraseToAnyPublisher()
        },
        store: MemoryTokenStore(
          Credential(accessToken: "t0", refreshToken: "r", expiresAt: .distantPast)))
    }

    var tokens: [String] { sent.withLock(\.self) }

    /// A call; `onAnswer` runs as its response arrives.
    func call(
      _ path: String, refusing token: String? = nil,
      onAnswer: @escaping @Sendable () -> Void = {}
    ) -> TestSubscriber<RESTResponse, any Error> {
      let transport = AnsweringTransport { [self] request in
        let field = request.value(forHTTPHeaderField: "Authorization") ?? "-"
        sent.withLock { $0.append("\(path) \(field.dropFirst(7))") }
        onAnswer()
        return try RESTResponse(to: request, status: field == "Bearer \(token ?? "")" ? 401 : 200)
      }
      let api = TestAPI(baseURL: TestAPI.origin, transport: transport, session: session)
      let subscriber = TestSubscriber<RESTResponse, any Error>()
      api.get(endpoint: path).receive(subscriber: subscriber)
      return subscriber
    }
  }

  @Test("Whose turn comes later leaves with the token that the first one's refusal has brought")
  func refusedMeanwhile() {
    let world = World()
    let calls = [world.call("a", refusing: "t1"), world.call("b", refusing: "t1")]
    world.first.send(TokenResponse(accessToken: "t1", lifetime: .seconds(60)))
    world.first.send(completion: .finished)

    #expect(world.tokens == ["a t1", "a t2", "b t2"])
    #expect(calls.map { $0.values.map(\.statusCode) } == [[200], [200]])
  }

  @Test("Whose turn comes after a sign-out, or after another user's sign-in, is not sent")
  func signedOutMeanwhile() throws {
    for next in [nil, Credential(accessToken: "other")] {
      let world = World()
      let first = world.call("a") { [session = world.session] in
        do {
          try session.signOut()
          if let next { try session.signIn(next) }
        } catch {
          Issue.record(error)
        }
      }
      let second = world.call("b")
      world.first.send(TokenResponse(accessToken: "t1", lifetime: .seconds(60)))

      #expect(world.tokens == ["a t1"])
      #expect(first.isFinished)
      guard case .signedOut? = second.failure as? TokenSessionError else {
        Issue.record("The second call ended otherwise: \(second.failure.map { "\($0)" } ?? "-")")
        continue
      }
    }
  }
}
