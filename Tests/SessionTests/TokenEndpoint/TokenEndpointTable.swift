import Fixtures
import Foundation

/// The table in Docs/Sessions.md of the answers of a token endpoint.
struct TokenEndpointTable {
  private struct Row: Hashable {
    let effect: TokenEndpointEffect
    let log: String
  }

  private let lines: [String]

  init() throws {
    // Bodies with equal effects at all statuses share their rows.
    var groups: [(bodies: [TokenEndpointBody], rows: [Row])] = []
    for body in TokenEndpointBody.all {
      let rows = TokenEndpointAnswer.statuses.map { Self.row(of: $0, body) }
      if let index = groups.firstIndex(where: { $0.rows == rows }) {
        groups[index].bodies.append(body)
      } else {
        groups.append(([body], rows))
      }
    }
    lines =
      [
        "| the body | status | the session | the calls | the log of the refresh | because |",
        "| --- | --- | --- | --- | --- | --- |",
      ] + groups.flatMap { Self.lines(of: $0.bodies, $0.rows) }
  }

  private static func row(of status: Int, _ body: TokenEndpointBody) -> Row {
    let answer = TokenEndpointAnswer(status: status, body: body, contentType: "application/json")
    let (effect, log) = TokenEndpointEffect.of(answer, to: .form)
    return Row(effect: effect, log: words(log.first ?? "none"))
  }

  /// The log's words without the status, which is another column, and without the body.
  private static func words(_ log: String) -> String {
    for (beginning, words) in [
      ("failed because the server answered", "failed because of its status"),
      ("failed because the server redirected", "failed because of the redirect"),
      ("failed because the response does not decode", "failed because of its body"),
      ("decoded as", "decoded"),
    ] where log.hasPrefix(beginning) {
      return words
    }
    return log
  }

  private static func lines(of bodies: [TokenEndpointBody], _ rows: [Row]) -> [String] {
    let names = bodies.map(\.name).joined(separator: ", ")
    var seen: Set<Row> = []
    return rows.filter { seen.insert($0).inserted }.map { row in
      let statuses = zip(TokenEndpointAnswer.statuses, rows).filter { $0.1 == row }.map(\.0)
      let text = statuses.map(String.init).joined(separator: ", ")
      let source = source(of: bodies, at: statuses)
      return "| \(names) | \(text) | \(row.effect.session.rawValue) | \(row.effect.call) "
        + "| \(row.log) | \(source) |"
    }
  }

  /// Why the session does so: what the statuses say, if they alone decide, or what the body says.
  private static func source(of bodies: [TokenEndpointBody], at statuses: [Int]) -> String {
    if statuses == [302] { return "a redirect would pass the refresh token on" }
    if bodies == [.invalidGrant] || bodies == [.token], statuses.allSatisfy({ $0 >= 400 }),
      statuses.contains(503)
    {
      return "the server has not judged the refresh token (RFC 9110 §15.5.9, §15.6, RFC 6585 §4)"
    }
    return bodies.map(\.source).reduce(into: [String]()) { sources, source in
      if !sources.contains(source) { sources.append(source) }
    }.joined(separator: "; ")
  }

  private static let begin = "<!-- token endpoint: begin -->\n"
  private static let end = "<!-- token endpoint: end -->"

  /// Whether the guide has this table; a renewed one has it from now on.
  func isWritten(
    isRenewing: Bool = ProcessInfo.processInfo.environment["RENEW_TABLES"] != nil
  ) throws -> Bool {
    let file = PackageFolder.url.appending(path: "Docs/Sessions.md")
    let text = try String(contentsOf: file, encoding: .utf8)
    guard let begin = text.range(of: Self.begin), let end = text.range(of: Self.end) else {
      return false
    }
    let table = lines.joined(separator: "\n") + "\n"
    if isRenewing {
      let renewed = text.replacingCharacters(in: begin.upperBound..<end.lowerBound, with: table)
      try Data(renewed.utf8).write(to: file)
      return true
    }
    return text[begin.upperBound..<end.lowerBound] == table
  }
}
