import Fixtures
import Foundation
import RESTKit
import Streams

/// One call of the app, and what became of it.
final class WorldCall: Sendable {
  /// Where the retry stands, as seen from the session.
  enum Retrying: Sendable {
    case never, outside, inside, byTheAPI
  }

  struct Kind: Sendable, CustomStringConvertible {
    let isPost: Bool
    let hasKey: Bool
    let retrying: Retrying
    /// The requests, where there are several; what stands above is of one only, but that a policy
    /// makes keys.
    let pipeline: WorldPipeline?

    init(_ draw: inout Draw, pipeline: WorldPipeline?) {
      isPost = draw.chance(35)
      hasKey = draw.chance(50)
      retrying = draw.pick([.never, .outside, .outside, .inside, .byTheAPI])
      self.pipeline = pipeline
    }

    var description: String {
      if let pipeline { return "\(pipeline)\(hasKey ? ", keys by the policy" : "")" }
      return "\(isPost ? "POST" : "GET")\(isPost && hasKey ? " with a key" : ""), retry \(retrying)"
    }
  }

  struct Outcome: Sendable {
    var values = 0
    var completions = 0
    var isCancelled = false
    /// The events after the end or the cancel.
    var strays = 0
    var text = "open"
  }

  let number: Int
  let kind: Kind
  let app: WorldSession
  let begin: Duration
  private let epochState: Lock<Int?>
  private let outcomeState = Lock(Outcome())
  private let subscription = Lock<AnyCancellable?>(nil)

  init(number: Int, kind: Kind, app: WorldSession, begin: Duration) {
    self.number = number
    self.kind = kind
    self.app = app
    self.begin = begin
    epochState = Lock(kind.pipeline == nil ? app.epoch : nil)
  }

  /// Which sign-in it belongs to: the one that it was begun under.
  ///
  /// Several requests belong to the one there is when this is asked first, as a token is sent: a
  /// request without one may go before, and who signs in meanwhile is their user.
  var epoch: Int {
    let current = app.epoch
    return epochState.withLock { epoch in
      let taken = epoch ?? current
      epoch = taken
      return taken
    }
  }

  var outcome: Outcome { outcomeState.withLock { $0 } }

  func run(_ publisher: some Publisher<RESTResponse, any Error>) {
    let sink = publisher.sink(
      receiveCompletion: { [self] completion in
        outcomeState.withLock { outcome in
          if outcome.isCancelled || outcome.completions > 0 { outcome.strays += 1 }
          outcome.completions += 1
          if case .failure(let error) = completion { outcome.text = "\(error)" }
        }
      },
      receiveValue: { [self] response in
        outcomeState.withLock { outcome in
          if outcome.isCancelled || outcome.completions > 0 { outcome.strays += 1 }
          outcome.values += 1
          outcome.text = "\(response.statusCode)"
        }
      })
    subscription.withLock { $0 = sink }
  }

  func cancel() {
    outcomeState.withLock { if $0.completions == 0 { $0.isCancelled = true } }
    let released = subscription.withLock { $0.take() }
    released?.cancel()
  }

  func letGo() {
    let released = subscription.withLock { $0.take() }
    withExtendedLifetime(released) {}
  }
}

/// A session of the app, with the line that it sends on.
final class WorldSession: Sendable {
  struct State: Sendable {
    var session: TokenSession?
    /// Counts what ends the calls of who was signed in.
    var epoch = 0
    /// The user who signed in with it; nil without one, or if only the store knows.
    var user: Int?
    var subscriptions: [AnyCancellable] = []
    var logs: [CallLog] = []
  }

  let number: Int
  let state = Lock(State())

  init(number: Int) {
    self.number = number
  }

  var session: TokenSession? { state.withLock { $0.session } }
  var epoch: Int { state.withLock { $0.epoch } }
  var user: Int? { state.withLock { $0.user } }
  var logs: [CallLog] { state.withLock { $0.logs } }

  /// Another user is signed in now, or no user.
  func turn(to user: Int?) {
    state.withLock { state in
      state.epoch += 1
      state.user = user
    }
  }

  func letGo() {
    let released = state.withLock { $0.session.take() }
    withExtendedLifetime(released) {}
  }

  func close() {
    let released = state.withLock { state in
      defer { state.subscriptions = [] }
      return (state.session.take(), state.subscriptions)
    }
    withExtendedLifetime(released) {}
  }
}
