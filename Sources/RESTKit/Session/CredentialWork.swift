import Streams

/// The work that brings a session its credential: a refresh or a sign-in.
///
/// The subscription's context does not reach a task that a grant starts, but what is local to tasks
/// does. So a request in such a task does not wait for the token that it is to bring.
final class CredentialWork: Sendable {
  @TaskLocal private static var current: CredentialWork?

  private let session: SessionTag
  private let isOver = Lock(false)

  fileprivate init(for session: SessionTag) {
    self.session = session
  }

  /// Whether the work of a session runs this code, directly or in a task.
  static func isRunning(for session: SessionTag) -> Bool {
    guard let current, current.session == session else { return false }
    return !current.isOver.withLock(\.self)
  }

  /// Runs code as a part of the work.
  fileprivate func run(_ body: () -> Void) { Self.$current.withValue(self, operation: body) }

  /// Ends the work, before its result lets others continue on the same thread.
  fileprivate func end() { isOver.withLock { $0 = true } }
}

/// A publisher that is made and subscribed to as a part of the work that brings a session its
/// credential.
struct CredentialRequest<Response: Sendable>: Publisher {
  typealias Output = Response
  typealias Failure = any Error

  private let session: SessionTag
  private let make: @Sendable () -> AnyPublisher<Response, any Error>

  init(
    for session: SessionTag, _ make: @escaping @Sendable () -> AnyPublisher<Response, any Error>
  ) {
    self.session = session
    self.make = make
  }

  func receive(subscriber: some Subscriber<Output, Failure>) {
    let work = CredentialWork(for: session)
    work.run {
      make()
        .handleEvents(
          receiveOutput: { _ in work.end() }, receiveCompletion: { _ in work.end() },
          receiveCancel: { work.end() }
        )
        .receive(subscriber: subscriber)
    }
  }
}
