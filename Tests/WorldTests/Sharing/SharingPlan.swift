import Foundation

/// All that is drawn for one run of the world of caches and shared exchanges.
struct SharingPlan: Sendable {
  /// Who asks: nobody in particular, the user of a session, or the owner of one of ``fields``.
  enum Caller: Hashable, Sendable {
    case nobody
    case session(Int)
    case field(Int)
  }

  enum Use: Hashable, Sendable {
    case standard, revalidated, noCache
    case maxAge(Int)
  }

  struct Ask: Sendable {
    let process: Int
    let caller: Caller
    let road: Int
    let path: Int
    let language: String
    let use: Use
    /// The time that the call may take, in seconds.
    let deadline: Int?
    /// Whether the caller takes its response later only.
    let isBlocked: Bool
    /// The time for which the caller blocks the thread that delivers its response, in seconds.
    let blockTime: Int?

    /// The same request, by another one's caller.
    fileprivate func repeated(in process: Int, as other: Self) -> Self {
      Self(
        process: caller == .nobody ? process : self.process, caller: caller, road: road,
        path: path, language: language, use: use, deadline: other.deadline,
        isBlocked: other.isBlocked, blockTime: other.blockTime)
    }
  }

  enum Action: Sendable {
    case get(Ask)
    case change(path: Int, road: Int, process: Int)
    case cancel(Int)
    case open
    case signIn(session: Int, user: Int)
    case signOut(session: Int)
    /// The app has a newer token of who is signed in.
    case rotate(session: Int)
    /// The server refuses all tokens that it has issued.
    case expireTokens
    case removeAll(process: Int)
    /// A road fails for a while, without a server or with a 503.
    case fail(road: Int, seconds: Int, isUnreachable: Bool)
    /// A process is killed so many steps in its folder later, and begins anew with the folder.
    case kill(process: Int, steps: Int)
  }

  struct Event: Sendable, CustomStringConvertible {
    let time: Duration
    let action: Action

    var description: String { "\(time): \(action)" }
  }

  /// What the server says of the responses of a path.
  enum Policy: CaseIterable, Sendable {
    case fresh, staleWhileRevalidate, staleIfError, mustRevalidate, noCache, noStore, heuristic
  }

  static let roads = 2
  /// The sessions of each process.
  static let sessions = 2
  /// Fields that tell callers apart; the first two values are canonically equal.
  static let fields = [
    (name: "Cookie", value: "user=\u{e9}"), (name: "Cookie", value: "user=e\u{301}"),
    (name: "X-Api-Key", value: "key-1"), (name: "Authorization", value: "Basic b25l"),
  ]
  static let lifetime = 10
  static let staleTime = 20

  let seed: UInt64
  let policies: [Policy]
  /// Whether the responses of a path depend on the language.
  let varies: [Bool]
  let hasCoalescer: Bool
  let hasLimiter: Bool
  let hasFolder: Bool
  /// The processes that use the folder at the same time.
  let processes: Int
  let hasDeadlines: Bool
  /// Whether some callers block the threads that deliver their responses.
  let hasBlocks: Bool
  let servesStale: Bool
  let events: [Event]

  init(seed: UInt64) {
    self.seed = seed
    var draw = Draw(seed, "sharing")
    let paths = draw.number(1...3)
    policies = (0..<paths).map { _ in draw.pick(Policy.allCases) }
    varies = (0..<paths).map { _ in draw.chance(30) }
    hasCoalescer = draw.chance(60)
    hasLimiter = draw.chance(30)
    let (hasFolder, hasDeadlines, hasBlocks) = (draw.chance(7), draw.chance(40), draw.chance(50))
    let processes = hasFolder && draw.chance(70) ? 2 : 1
    self.hasFolder = hasFolder
    self.processes = processes
    self.hasDeadlines = hasDeadlines
    self.hasBlocks = hasBlocks
    servesStale = draw.chance(50)
    let hasTrouble = draw.chance(50)
    var time = Duration.zero
    var calls = 0
    var last: Ask?
    events = (0..<draw.number(8...30)).map { _ in
      // Often at one moment, whose order is drawn.
      time += .milliseconds(500) * draw.pick([0, 0, 0, 0, 1, 1, 2, 5, 12, 30])
      let process = draw.number(0...processes - 1)
      let session = process * Self.sessions + draw.number(0...Self.sessions - 1)
      let path = draw.number(0...paths - 1)
      let road = draw.chance(70) ? 0 : 1
      let action: Action
      switch draw.number(0...99) {
      case ..<64:
        calls += 1
        var ask = Ask(
          process: process,
          caller: draw.pick(
            [
              .nobody, hasFolder ? .nobody : .session(session), .session(session),
              .field(draw.number(0...Self.fields.count - 1)),
            ]),
          road: road, path: path, language: draw.pick(["da", "da", "fr"]),
          use: draw.pick(
            [.standard, .standard, .standard, .standard, .revalidated, .noCache, .maxAge(3)]),
          deadline: hasDeadlines && draw.chance(40) ? draw.number(1...6) : nil,
          isBlocked: draw.chance(10),
          blockTime: hasBlocks && draw.chance(25) ? draw.number(1...6) : nil)
        // Often the same as before, so that calls share an exchange or a response.
        if let last, draw.chance(40) { ask = last.repeated(in: process, as: ask) }
        last = ask
        action = .get(ask)
      case ..<71:
        // Often of what was asked for last, so that responses are under way meanwhile.
        let isLast = draw.chance(60)
        action = .change(
          path: isLast ? last?.path ?? path : path, road: isLast ? last?.road ?? road : road,
          process: process)
      case ..<75: action = .cancel(draw.number(0...max(calls - 1, 0)))
      case ..<77: action = .open
      case ..<83: action = .signIn(session: session, user: draw.number(0...1))
      case ..<86: action = .signOut(session: session)
      case ..<89: action = .rotate(session: session)
      case ..<91: action = .expireTokens
      case ..<93: action = .removeAll(process: process)
      case ..<97:
        action =
          hasTrouble
          ? .fail(road: road, seconds: draw.number(1...20), isUnreachable: draw.chance(50))
          : .rotate(session: session)
      default: action = hasFolder ? .kill(process: process, steps: draw.number(0...8)) : .open
      }
      return Event(time: time, action: action)
    }
  }

  private init(_ plan: SharingPlan, events: [Event]) {
    seed = plan.seed
    policies = plan.policies
    varies = plan.varies
    hasCoalescer = plan.hasCoalescer
    hasLimiter = plan.hasLimiter
    hasFolder = plan.hasFolder
    processes = plan.processes
    hasDeadlines = plan.hasDeadlines
    hasBlocks = plan.hasBlocks
    servesStale = plan.servesStale
    self.events = events
  }

  /// The same with its first events only.
  func prefix(_ count: Int) -> SharingPlan {
    SharingPlan(self, events: Array(events.prefix(count)))
  }
}

extension SharingPlan: CustomStringConvertible {
  var description: String {
    let parts = [
      hasCoalescer ? "coalescer" : nil, hasLimiter ? "limiter" : nil,
      hasFolder ? "folder of \(processes)" : nil,
      servesStale ? "stale responses for failures" : nil,
    ]
    return "seed \(seed): paths \(policies), vary \(varies), \(parts.compactMap(\.self))"
      + events.map { "\n  \($0)" }.joined()
  }
}
