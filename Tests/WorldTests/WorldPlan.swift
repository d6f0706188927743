import Fixtures
import Foundation
import StreamsTesting

/// All that is drawn for one run of the world: what the app and the outside do, and when.
///
/// What becomes of each request is drawn by itself, from the seed and from which request it is, so
/// that a plan that is cut short still meets the same network.
struct WorldPlan: Sendable {
  enum Action: Sendable {
    case signIn(session: Int, user: Int)
    case signOut(session: Int)
    /// The app has a newer credential of who is signed in.
    case replace(session: Int)
    case call(WorldCall.Kind, session: Int)
    /// Cancels the call that so many calls were begun before.
    case cancel(Int)
    /// All access tokens that were issued so far end before their time.
    case expireTokens
    /// The server ends all sign-ins of a user.
    case revoke(user: Int)
    /// The app releases a session, whose calls continue, and makes another one, like a new process.
    case letGo(session: Int)
    case breakStore(Bool)
  }

  struct Event: Sendable, CustomStringConvertible {
    let time: Duration
    let action: Action

    var description: String { "\(time): \(action)" }
  }

  let seed: UInt64
  let sessionCount: Int
  /// Whether a refresh token that was used up ends the sign-in, where the response was lost as
  /// well.
  let isStrict: Bool
  /// How long access tokens live; nil where the server does not say, and they live till an event.
  let lifetime: Duration?
  /// How many of a hundred requests meet with something else than their response.
  let trouble: Int
  /// Whether sessions wait for their turn as for a lock between processes.
  let polls: Bool
  let storeFails: Bool
  var events: [Event]

  init(seed: UInt64) {
    self.seed = seed
    var draw = Draw(seed, "plan")
    sessionCount = draw.number(1...4)
    isStrict = draw.chance(50)
    lifetime = draw.chance(60) ? .seconds(draw.number(12...40)) : nil
    trouble = draw.pick([0, 10, 25, 50])
    polls = draw.chance(30)
    storeFails = draw.chance(10)
    var (time, calls) = (Duration.zero, 0)
    events = [Event(time: .zero, action: .signIn(session: 0, user: 0))]
    for _ in 0..<draw.number(6...24) {
      // Often at one moment, whose order is drawn.
      time += .milliseconds(250) * draw.pick([0, 0, 0, 1, 1, 2, 4, 12, 40])
      let session = draw.number(0...sessionCount - 1)
      let action: Action
      switch draw.number(0...99) {
      case ..<62:
        let pipeline = WorldPipeline(seed: seed, call: calls)
        action = .call(WorldCall.Kind(&draw, pipeline: pipeline), session: session)
        calls += 1
      case ..<72: action = .cancel(draw.number(0...max(calls - 1, 0)))
      case ..<79: action = .expireTokens
      case ..<85: action = .signOut(session: session)
      case ..<92: action = .signIn(session: session, user: draw.number(0...2))
      case ..<94: action = .replace(session: session)
      case ..<96: action = .letGo(session: session)
      case ..<98: action = storeFails ? .breakStore(draw.chance(60)) : .expireTokens
      default: action = .revoke(user: draw.number(0...2))
      }
      events.append(Event(time: time, action: action))
    }
  }

  /// The same with its first events only.
  func prefix(_ count: Int) -> WorldPlan {
    var plan = self
    plan.events = Array(events.prefix(count))
    return plan
  }
}

extension WorldPlan: CustomStringConvertible {
  var description: String {
    """
    seed \(seed): \(sessionCount) sessions, \(isStrict ? "strict" : "lenient") rotation, \
    lifetime \(lifetime.map { "\($0)" } ?? "unknown"), \(trouble) % trouble, \
    \(polls ? "polled" : "queued") turns\(storeFails ? ", a store that fails" : "")
    """ + events.map { "\n  \($0)" }.joined()
  }
}

/// Draws for one purpose, the same for the same seed and the same purpose.
struct Draw: Sendable {
  private var generator: SeededGenerator

  init(_ seed: UInt64, _ purpose: String) {
    // FNV-1a.
    let hash = purpose.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) {
      ($0 ^ UInt64($1)) &* 0x100_0000_01b3
    }
    generator = SeededGenerator(seed: seed &* 0x9E37_79B9_7F4A_7C15 ^ hash)
  }

  mutating func number(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &generator) }

  mutating func chance(_ percent: Int) -> Bool { number(0...99) < percent }

  mutating func pick<Value>(_ values: [Value]) -> Value { values[number(0...values.count - 1)] }
}
