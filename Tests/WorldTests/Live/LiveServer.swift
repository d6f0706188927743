import Fixtures
import Foundation
import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The server of the world of live streams: its tokens, its files and feeds.
struct LiveServer: Sendable {
  struct Token: Sendable {
    let session: Int
    let user: Int
    let end: Duration?
    var isExpired = false
    /// The token that its refresh token was used for.
    var successor: Int?
  }

  /// What the server knows of one stream.
  struct Source: Sendable {
    let ask: LivePlan.Ask
    let user: Int?
    /// The number of the next event, for readers without a place.
    var next: Int
    var count = 0
  }

  let plan: LivePlan
  private(set) var tokens: [Token] = []
  private var sources: [Source] = []
  private(set) var version = 0
  private var revoked: Set<Int> = []
  var isQuiet = false

  init(_ plan: LivePlan) {
    self.plan = plan
  }

  // MARK: Tokens

  mutating func issue(session: Int, user: Int, at now: Duration) -> Int {
    tokens.append(Token(session: session, user: user, end: plan.lifetime.map { now + $0 }))
    return tokens.count - 1
  }

  /// A token that the app gets with a sign-in.
  mutating func signIn(session: Int, user: Int, at now: Duration) -> (Int, Credential) {
    revoked.remove(session)
    let number = issue(session: session, user: user, at: now)
    return (
      number,
      Credential(
        accessToken: "a\(number)", refreshToken: "r\(number)",
        expiresAt: plan.lifetime.map { WallClock.start + (now + $0) / .seconds(1) },
        account: "user \(user)")
    )
  }

  func isGood(_ number: Int, at now: Duration) -> Bool {
    let token = tokens[number]
    return !token.isExpired && token.end.map { now < $0 } ?? true
  }

  mutating func expireTokens() {
    for index in tokens.indices { tokens[index].isExpired = true }
  }

  mutating func revoke(_ session: Int) { revoked.insert(session) }

  mutating func replaceFiles() { version += 1 }

  /// The response to a refresh, with the number of the new token.
  mutating func refresh(
    _ request: URLRequest, number: Int, at now: Duration
  ) -> (script: LiveScript, token: Int?) {
    var draw = Draw(plan.seed, "refresh \(number)")
    let delay = Duration.milliseconds(500) * draw.pick([0, 1, 1, 4])
    let old = String(decoding: request.httpBody ?? Data(), as: UTF8.self)
      .split(separator: "\"").last { $0.first == "r" && Int($0.dropFirst()) != nil }
      .flatMap { Int($0.dropFirst()) }
    guard let old, !revoked.contains(tokens[old].session) else {
      return (.whole(400, #"{"error": "invalid_grant"}"#, after: delay), nil)
    }
    if !isQuiet, draw.chance(plan.trouble / 2) {
      if draw.chance(50) { return (.whole(503, "{}", after: delay), nil) }
      return (
        .headless(.fault(.connectionReset, mayHaveBeenProcessed: true), after: delay), nil
      )
    }
    let new =
      tokens[old].successor ?? issue(session: tokens[old].session, user: tokens[old].user, at: now)
    tokens[old].successor = new
    let life = plan.lifetime.map { #", "expiresIn": \#($0 / .seconds(1))"# } ?? ""
    let body = #"{"accessToken": "a\#(new)", "refreshToken": "r\#(new)"\#(life)}"#
    return (.whole(200, body, after: delay), new)
  }

  // MARK: Streams

  /// Begins a stream, whose user is known.
  mutating func begin(_ ask: LivePlan.Ask, user: Int?) {
    sources.append(Source(ask: ask, user: user, next: ask.known + 1))
  }

  /// - Parameters:
  ///   - number: The stream.
  ///   - token: The number of the token of the request.
  ///   - id: The id that the reader has.
  mutating func script(
    for request: URLRequest, of number: Int, token: Int?, id: String, at now: Duration
  ) -> LiveScript {
    sources[number].count += 1
    let source = sources[number]
    var draw = Draw(plan.seed, "stream \(number), \(source.count)")
    let delay = isQuiet ? .zero : Duration.milliseconds(250) * draw.pick([0, 0, 1, 4])
    let isTroubled = !isQuiet && draw.chance(plan.trouble)
    if source.ask.session != nil, token.map({ !isGood($0, at: now) }) ?? true {
      return .refused(401, isQuiet: isQuiet, after: delay, &draw)
    }
    if isTroubled, let script = trouble(of: source.ask.kind, request, after: delay, &draw) {
      return script
    }
    return switch source.ask.kind {
    case .feed, .chat: events(for: request, of: number, after: id, isTroubled, delay, &draw)
    case .tail, .follow: file(for: request, of: number, isTroubled, delay, &draw)
    case .lines:
      .content(
        200, [:], content(of: number), isQuiet: isQuiet, isTroubled: isTroubled, after: delay,
        &draw)
    case .rows, .watch, .rowsOfEndpoint, .records:
      rows(for: request, of: number, isTroubled, delay, &draw)
    case .call: .whole(200, elements(of: number, from: 1).first?.text ?? "", after: delay)
    }
  }

  private func trouble(
    of kind: LivePlan.Kind, _ request: URLRequest, after delay: Duration, _ draw: inout Draw
  ) -> LiveScript? {
    let isEvents = kind.isEvents
    switch draw.number(0...13) {
    case 0:
      return .headless(.fault(.connectionRefused, mayHaveBeenProcessed: false), after: delay)
    case 1: return .headless(.fault(.connectionReset, mayHaveBeenProcessed: true), after: delay)
    case 2: return .headless(.silence, after: delay)
    case 3, 4, 5:
      let status = draw.pick([503, 503, 429])
      let wait = draw.pick([nil, "0", "1", "3", "10", "90"])
      return .refused(
        status, wait.map { ["Retry-After": $0] } ?? [:], isQuiet: isQuiet, after: delay, &draw)
    case 6: return .refused(draw.pick([400, 404, 500]), isQuiet: isQuiet, after: delay, &draw)
    case 7 where isEvents:
      return .refused(
        200, draw.pick([[:], ["Content-Type": "text/html"]]), isQuiet: isQuiet, after: delay,
        &draw)
    case 8 where isEvents && draw.chance(30):
      return LiveScript(status: 204, pieces: [(delay, .head), (.zero, .end(.finish))])
    case 9 where kind != .chat && request.url?.path.contains("/moved/") == false:
      let path = request.url?.path ?? ""
      return LiveScript(
        status: 307, headers: ["Location": "/moved" + path],
        pieces: [(delay, .head), (.zero, .end(.finish))])
    default: return nil
    }
  }

  private func elements(of number: Int, from first: Int) -> [LiveBody.Element] {
    let source = sources[number]
    guard first <= source.ask.count else { return [] }
    return (first...source.ask.count).map {
      LiveBody.Element(
        stream: number, user: source.user, version: version, number: $0,
        isLast: $0 == source.ask.count)
    }
  }

  private mutating func events(
    for request: URLRequest, of number: Int, after id: String, _ isTroubled: Bool,
    _ delay: Duration, _ draw: inout Draw
  ) -> LiveScript {
    let ask = sources[number].ask
    let sent = request.value(forHTTPHeaderField: "Last-Event-ID").flatMap { Int($0) }
    // What has ids is sent from the beginning to who has none.
    let isKept = ask.ids == .each || ask.ids == .some
    let first = sent.map { $0 + 1 } ?? (isKept ? ask.known + 1 : sources[number].next)
    var elements = elements(of: number, from: first)
    if ask.kind == .feed, elements.isEmpty {
      return LiveScript(status: 204, pieces: [(delay, .head), (.zero, .end(.finish))])
    }
    // Others happen later, and a connection may bring none.
    if !isQuiet, ask.kind == .feed {
      elements = Array(elements.prefix(draw.pick([0, 1, 2, 5, 16])))
    }
    sources[number].next = max(sources[number].next, (elements.last?.number ?? 0) + 1)
    let body = LiveBody.events(elements, ids: ask.ids, after: id, &draw)
    return .content(
      200, ["Content-Type": draw.pick(["text/event-stream", "Text/Event-Stream; charset=utf-8"])],
      body, isQuiet: isQuiet, isTroubled: isTroubled, after: delay, &draw)
  }

  private func rows(
    for request: URLRequest, of number: Int, _ isTroubled: Bool, _ delay: Duration,
    _ draw: inout Draw
  ) -> LiveScript {
    let ask = sources[number].ask
    let last = request.value(forHTTPHeaderField: "After").flatMap { Int($0) } ?? 0
    var elements = elements(of: number, from: last + 1)
    if ask.kind == .watch, elements.isEmpty {
      return .refused(410, isQuiet: isQuiet, after: delay, &draw)
    }
    if ask.kind == .watch, !isQuiet { elements = Array(elements.prefix(draw.pick([0, 1, 5, 16]))) }
    let body =
      ask.kind == .records
      ? LiveBody.records(elements, hasFaults: ask.skips, &draw)
      : LiveBody.rows(elements, hasFaults: ask.kind != .rowsOfEndpoint && ask.skips, &draw)
    return .content(
      200, [:], body, isQuiet: isQuiet, isTroubled: isTroubled, after: delay, &draw)
  }

  // MARK: Files

  /// The content of a file, which is the same for as long as it is not replaced.
  private func content(of number: Int) -> LiveBody {
    let version = sources[number].ask.tag == .strong ? version : 0
    var draw = Draw(plan.seed, "file \(number), \(version)")
    let elements = elements(of: number, from: 1).map {
      LiveBody.Element(
        stream: number, user: $0.user, version: version, number: $0.number, isLast: $0.isLast)
    }
    return .lines(elements, &draw)
  }

  private mutating func file(
    for request: URLRequest, of number: Int, _ isTroubled: Bool, _ delay: Duration,
    _ draw: inout Draw
  ) -> LiveScript {
    // A file that is resumed has often changed.
    if !isQuiet, request.value(forHTTPHeaderField: "Range") != nil, draw.chance(20) {
      version += 1
    }
    let body = content(of: number)
    let size = body.bytes.count
    var headers: HTTPHeaders = [:]
    let tag: String? =
      switch sources[number].ask.tag {
      case .strong: "\"v\(version)\""
      case .weak: "W/\"v\""
      case .none: nil
      }
    if let tag { headers.append(name: "ETag", value: tag) }
    let range = request.value(forHTTPHeaderField: "Range")
      .flatMap { Int($0.dropFirst("bytes=".count).dropLast()) }
    let condition = request.value(forHTTPHeaderField: "If-Range")
    let isOther = condition != nil && condition != tag
    // Not all servers know what they should.
    let ignores = draw.chance(isTroubled ? 40 : 10)
    guard let range, !isOther || ignores else {
      return refusing(
        range != nil,
        .content(
          200, headers, body, isQuiet: isQuiet, isTroubled: isTroubled, after: delay, &draw))
    }
    guard range < size else {
      headers.append(name: "Content-Range", value: "bytes */\(size)")
      if sources[number].ask.kind == .follow, isQuiet {
        return .refused(410, isQuiet: isQuiet, after: delay, &draw)
      }
      var script = LiveScript.refused(416, headers, isQuiet: isQuiet, after: delay, &draw)
      script.isNothingNew = range == size && !isOther
      if script.isNothingNew { script.last = body.last }
      return script
    }
    var (first, isRefused) = (range, isOther)
    if ignores, !isOther {
      isRefused = true
      switch draw.number(0...2) {
      case 0: first = max(range - 1, 0)
      case 1 where condition != nil: headers = [:]
      default:
        return refusing(
          true,
          .content(
            200, headers, body, isQuiet: isQuiet, isTroubled: false, after: delay, &draw))
      }
    }
    headers.append(name: "Content-Range", value: "bytes \(first)-\(size - 1)/\(size)")
    return refusing(
      isRefused,
      .content(
        206, headers, body, from: range, isQuiet: isQuiet, isTroubled: isTroubled, after: delay,
        &draw))
  }

  /// A response that a reader must not join to what it has.
  private func refusing(_ isRefused: Bool, _ script: LiveScript) -> LiveScript {
    var script = script
    if isRefused { script.body = nil }
    return script
  }
}

extension LiveScript {
  /// A whole response, of a call.
  static func whole(_ status: Int, _ text: String, after delay: Duration) -> LiveScript {
    LiveScript(
      status: status,
      pieces: [(delay, .head), (.zero, .chunk(Array(text.utf8))), (.zero, .end(.finish))])
  }
}
