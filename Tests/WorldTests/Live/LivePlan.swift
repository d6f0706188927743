import Foundation

/// All that is drawn for one run of the world of live streams.
struct LivePlan: Sendable {
  /// What is asked for, and how the stream goes on after a break.
  enum Kind: CaseIterable, Sendable {
    /// Events, with a `Last-Event-ID`.
    case feed
    /// The events of a `POST`, which is not sent twice.
    case chat
    /// Lines, with a `Range`.
    case tail
    /// The same, which goes on at the end of the file.
    case follow
    /// Lines, from the beginning, unless some were delivered.
    case lines
    /// JSON lines, from the last value.
    case rows
    /// JSON lines, which go on at the end of a response.
    case watch
    /// A JSON text sequence, from the last value.
    case records
    /// The JSON lines of an endpoint, which are not asked for again.
    case rowsOfEndpoint
    /// A call, for which streams must leave a place.
    case call
  }

  /// How a subscriber reads.
  enum Reading: Sendable {
    case all
    case oneByOne
    /// It asks for the next value so long after the last one.
    case slowly(Duration)
    /// It asks for so many values, and for all others when it is opened.
    case opened(after: Int)
    /// It blocks the thread for a time, at each so manieth value.
    case blocking(Duration, every: Int)
    case prefix(Int)
    /// It cancels when it receives this value.
    case cancelling(at: Int)
  }

  /// Which of the events have ids.
  enum Ids: Sendable {
    case each, some, none
    /// Each has one, and at times the server clears it.
    case cleared
  }

  struct Ask: Sendable {
    let kind: Kind
    /// The session whose token the requests carry; nil for none.
    let session: Int?
    /// Whether the session stands around the stream, and not in the API.
    let isAuthorizedOutside: Bool
    let reading: Reading
    let deadline: Duration?
    /// How many events or lines there are.
    let count: Int
    let ids: Ids
    /// The id of the event that is known already; zero for none.
    let known: Int
    /// The tag of a file: a strong or a weak one, or none.
    let tag: Tag
    /// Whether lines that do not decode are skipped.
    let skips: Bool
    let policy: Policy
  }

  enum Tag: Sendable { case strong, weak, none }

  /// The numbers of a `ReconnectPolicy` and a `RetryPolicy`.
  struct Policy: Sendable {
    let delay: Duration
    let maxDelay: Duration
    let maxRetryAfter: Duration
    let silence: Duration?
    let responseTimeout: Duration
    let maxFailures: Int?
    let reconnectsAfterEnd: Bool
    let burst: Int
    let attempts: Int
    let total: Duration?

    static let maxServerDelay = Duration.seconds(20)
  }

  enum Action: Sendable {
    case ask(Ask)
    case cancel(Int)
    case open
    case signIn(session: Int, user: Int)
    case signOut(session: Int)
    /// All tokens end before their time.
    case expireTokens
    /// The server renews no token of a session from now on.
    case revoke(session: Int)
    /// The files have another content from now on.
    case replaceFiles
  }

  struct Event: Sendable, CustomStringConvertible {
    let time: Duration
    let action: Action

    var description: String { "\(time): \(action)" }
  }

  let seed: UInt64
  let sessions: Int
  /// The exchanges that may run at the same time, until the connection is known to be HTTP/2.
  let places: Int
  let isHTTP2: Bool
  /// How long access tokens live; nil where they live till an event.
  let lifetime: Duration?
  /// How many of a hundred responses are something else than what was asked for.
  let trouble: Int
  var events: [Event]

  var hasBlockingReaders: Bool {
    events.contains { event in
      if case .ask(let ask) = event.action, case .blocking = ask.reading { true } else { false }
    }
  }

  init(seed: UInt64) {
    self.seed = seed
    var draw = Draw(seed, "live")
    sessions = draw.number(1...2)
    places = draw.pick([6, 6, 2, 1])
    isHTTP2 = draw.chance(50)
    lifetime = draw.chance(50) ? .seconds(draw.number(6...30)) : nil
    trouble = draw.pick([0, 15, 35, 60])
    let most = draw.pick([1, 1, 2, 4, 9])
    var (time, asks) = (Duration.zero, 0)
    events = []
    for _ in 0..<draw.number(2...3) + most * 2 {
      time += .milliseconds(250) * draw.pick([0, 0, 0, 1, 1, 2, 4, 12, 40])
      let session = draw.number(0...sessions - 1)
      let action: Action
      switch draw.number(0...99) {
      case _ where asks == 0, ..<40 where asks < most:
        action = .ask(Ask(&draw, session: session))
        asks += 1
      case ..<56: action = .cancel(draw.number(0...asks - 1))
      case ..<63: action = .open
      case ..<72: action = .signIn(session: session, user: draw.number(0...2))
      case ..<76: action = .signOut(session: session)
      case ..<86: action = .expireTokens
      case ..<89: action = .revoke(session: session)
      default: action = .replaceFiles
      }
      events.append(Event(time: time, action: action))
    }
  }

  /// The same with its first events only.
  func prefix(_ count: Int) -> LivePlan {
    var plan = self
    plan.events = Array(events.prefix(count))
    return plan
  }
}

extension LivePlan.Kind {
  /// Whether it goes on at the end of a response, by a `ReconnectPolicy`.
  var isLasting: Bool { self == .feed || self == .follow || self == .watch }

  var isEvents: Bool { self == .feed || self == .chat }

  /// Whether a break in a line does no harm.
  var isOneBody: Bool { self == .tail || self == .follow }
}

extension LivePlan.Reading {
  var isPrefix: Bool { if case .prefix = self { true } else { false } }

  /// Whether values are taken as soon as they are there.
  var isPrompt: Bool {
    switch self {
    case .all, .oneByOne, .prefix, .cancelling: true
    case .slowly, .opened, .blocking: false
    }
  }
}

extension LivePlan.Ask {
  init(_ draw: inout Draw, session: Int) {
    kind = draw.pick(
      [.feed, .feed, .feed, .feed, .tail, .tail, .tail] + LivePlan.Kind.allCases)
    self.session = draw.chance(60) ? session : nil
    isAuthorizedOutside = draw.chance(50)
    switch draw.number(0...11) {
    case 0...4: reading = .all
    case 5: reading = .oneByOne
    case 6: reading = .slowly(.milliseconds(250) * draw.number(1...6))
    case 7: reading = .opened(after: draw.number(0...3))
    case 8: reading = .blocking(.milliseconds(500) * draw.number(1...12), every: draw.number(1...4))
    case 9: reading = .prefix(draw.number(1...6))
    case 10: reading = .cancelling(at: draw.number(1...6))
    default: reading = .all
    }
    deadline = draw.chance(12) ? .milliseconds(500) * draw.number(1...40) : nil
    count = draw.number(1...16)
    ids = draw.pick([.each, .each, .each, .some, .none, .cleared])
    let known = draw.chance(20) ? draw.number(1...4) : 0
    // Without ids of the server's, the reader would stay there.
    self.known = if case .each = ids { known } else { 0 }
    tag = draw.pick([.strong, .strong, .weak, .none])
    skips = draw.chance(30)
    policy = LivePlan.Policy(&draw)
  }
}

extension LivePlan.Policy {
  init(_ draw: inout Draw) {
    delay = draw.pick([.zero, .milliseconds(300), .seconds(1), .seconds(3)])
    maxDelay = delay + draw.pick([.zero, .seconds(2), .seconds(10)])
    maxRetryAfter = .seconds(draw.pick([4, 40]))
    silence = draw.pick([nil, .seconds(2), .seconds(8)])
    responseTimeout = .seconds(draw.pick([4, 30]))
    maxFailures = draw.pick([nil, nil, nil, 1, 2, 5])
    reconnectsAfterEnd = draw.chance(90)
    burst = draw.pick([1, 3, 10])
    attempts = draw.number(1...5)
    total = draw.pick([nil, .seconds(5), .seconds(60)])
  }
}

extension LivePlan: CustomStringConvertible {
  var description: String {
    """
    seed \(seed): \(sessions) sessions, \(places) places, \(isHTTP2 ? "HTTP/2" : "HTTP/1.1"), \
    lifetime \(lifetime.map { "\($0)" } ?? "unknown"), \(trouble) % trouble
    """ + events.map { "\n  \($0)" }.joined()
  }
}
