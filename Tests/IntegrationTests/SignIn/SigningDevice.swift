import Foundation
import RESTKit
import RESTKitSignIn
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A device that signs a user in at a real server, but lives in virtual time.
final class SigningDevice: Sendable {
  /// The state of a device between two polls: it waits, or it is done.
  enum Step: Sendable {
    case pause(Duration)
    case end(Result<Void, any Error>)
  }

  let server: OAuthServer
  let client: OAuthClient
  let user: BrowsingUser
  let store = MemoryTokenStore()
  private let registration: OAuthRegistration
  private let scheduler: PauseTeller
  private let session: TokenSession
  private let steps: AsyncStream<Step>
  private let tell: AsyncStream<Step>.Continuation
  private let signIn = Lock<AnyCancellable?>(nil)

  init(_ kind: TransportKind = .default, slowDown: Int? = nil) async throws {
    let queue = DispatchQueue(label: "answers of the server")
    server = try OAuthServer(kind, through: { QueuedTransport(transport: $0, queue: queue) })
    (client, registration) = try await server.makeClient(
      grant: "urn:ietf:params:oauth:grant-type:device_code", slowDown: slowDown)
    user = BrowsingUser(of: server, registration)
    (steps, tell) = AsyncStream.makeStream()
    // Runs on the queue of the responses, after the code that scheduled the pause.
    scheduler = PauseTeller { [tell] pause in queue.async { tell.yield(.pause(pause)) } }
    session = TokenSession(of: client, storingIn: store)
  }

  /// Starts to sign in.
  ///
  /// - Returns: The data to show to the user, once the device waits to poll.
  func begin() async throws -> DeviceAuthorization {
    let shown = Lock<DeviceAuthorization?>(nil)
    let grant = DeviceAuthorizationGrant(client, scope: "read", scheduler: scheduler) { device in
      shown.withLock { $0 = device }
    }
    let signIn = session.signIn(with: grant)
      .sink(
        receiveCompletion: { [tell] completion in
          if case .failure(let error) = completion { tell.yield(.end(.failure(error))) }
        },
        receiveValue: { [tell] in tell.yield(.end(.success(()))) })
    self.signIn.withLock { $0 = signIn }
    try #require(await next() == .seconds(5))
    return try #require(shown.withLock { $0 })
  }

  /// Lets a pause pass, so that the device asks, and waits for the response.
  ///
  /// - Returns: The next pause; nil where the sign-in has ended.
  func ask(after pause: Duration = .seconds(5)) async throws -> Duration? {
    scheduler.advance(by: pause)
    return try await next()
  }

  /// Lets a pause pass, so that the device asks for the last time.
  func askForTheLastTime(after pause: Duration = .seconds(5)) async throws {
    scheduler.advance(by: pause)
    guard case .end(let result)? = await nextStep() else {
      Issue.record("the sign-in goes on")
      return
    }
    try result.get()
  }

  /// How the server answered the device's questions.
  var answers: [Int] {
    get async throws { try await server.log(of: registration).map(\.status) }
  }

  private func next() async throws -> Duration? {
    switch await nextStep() {
    case .pause(let pause): return pause
    case .end(let result):
      try result.get()
      return nil
    case nil: return nil
    }
  }

  private func nextStep() async -> Step? {
    for await step in steps { return step }
    return nil
  }
}

/// Virtual time that tells of each pause between two questions.
private struct PauseTeller: Scheduler {
  private let scheduler = TestScheduler()
  let tell: @Sendable (Duration) -> Void

  var now: Duration { scheduler.now }

  func schedule(_ action: @escaping @Sendable () -> Void) { scheduler.schedule(action) }

  func schedule(
    after delay: Duration, _ action: @escaping @Sendable () -> Void
  ) -> any Cancellable {
    // The end of the code, half an hour away, is scheduled, too.
    defer { if delay < .seconds(600) { tell(delay) } }
    return scheduler.schedule(after: delay, action)
  }

  func advance(by duration: Duration) { scheduler.advance(by: duration) }
}

/// A transport whose responses arrive on one queue.
private struct QueuedTransport: Transport {
  let transport: any Transport
  let queue: DispatchQueue

  func response(for request: URLRequest) -> AnyPublisher<RESTResponse, any Error> {
    transport.response(for: request).receive(on: queue).eraseToAnyPublisher()
  }
}
