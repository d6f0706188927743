import Fixtures
import Foundation
import Streams
import Testing

@testable import RESTKit
@testable import RESTKitReports
@testable import RESTKitTesting

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("SEC-11, SEC-13: where a secret is kept, and who may see it there", .timeLimit(.minutes(10)))
struct StoreTableTests {
  /// An exchange with a secret in one place.
  private struct Exchange {
    var request: URLRequest
    var headers: HTTPHeaders = ["Cache-Control": "max-age=60"]
    var body = Data("{}".utf8)
    /// The signed-in user's token.
    var token: String?

    init(_ rest: String = "") throws {
      request = URLRequest(url: try #require(URL(string: "https://h.example/a\(rest)")))
    }
  }

  private typealias Row = (
    title: String, exchange: @Sendable (_ name: String, _ secret: String) throws -> Exchange
  )

  private static let rows: [Row] = [
    (
      "a session's token",
      { _, secret in
        var exchange = try Exchange()
        exchange.token = secret
        return exchange
      }
    ),
    (
      "a header field of a request",
      { name, secret in
        var exchange = try Exchange()
        exchange.request.setValue(secret, forHTTPHeaderField: name)
        return exchange
      }
    ),
    ("a query item of a request", { try Exchange("?page=2&\($0)=\($1)") }),
    (
      "a member of JSON in a request",
      { name, secret in
        var exchange = try Exchange()
        exchange.request.httpMethod = "POST"
        exchange.request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        exchange.request.httpBody = Data(#"{"\#(name)": "\#(secret)"}"#.utf8)
        return exchange
      }
    ),
    (
      "a response to a signed-in user",
      { _, secret in
        var exchange = try Exchange()
        exchange.token = "token"
        exchange.body = Data(#"{"token": "\#(secret)"}"#.utf8)
        return exchange
      }
    ),
    (
      "a header field of a response to nobody",
      { name, secret in
        var exchange = try Exchange()
        exchange.headers.append(name: name, value: secret)
        return exchange
      }
    ),
    (
      "a member of JSON in a response to nobody",
      { name, secret in
        var exchange = try Exchange()
        exchange.headers.append(name: "Content-Type", value: "application/json")
        exchange.body = Data(#"{"\#(name)": "\#(secret)"}"#.utf8)
        return exchange
      }
    ),
  ]

  private typealias Store = (
    title: String, keep: @Sendable (Exchange, _ folder: URL) async throws -> Void
  )

  private static let stores: [Store] = [
    (
      "a cache's folder",
      { exchange, folder in
        let session = exchange.token.map { Self.session($0, MemoryTokenStore()) }
        let transport = AnsweringTransport(over: .plain) { request in
          try RESTResponse(to: request, headers: exchange.headers, data: exchange.body)
        }
        let cache = try HTTPCache(folder: folder, onFailure: { _ in })
        let api = TestAPI(
          baseURL: "https://h.example", transport: transport, session: session, cache: cache)
        _ = try await api.request(exchange.request.method, endpoint: "a") { _ in exchange.request }
          .value
        try await cache.flush().value
      }
    ),
    (
      "a token file",
      { exchange, folder in
        guard let token = exchange.token else { return }
        let store = FileTokenStore(file: folder.appending(path: "tokens"))
        try Self.session(token, store).signIn(Credential(accessToken: token))
      }
    ),
    (
      "the file of a recording",
      { exchange, folder in
        try RecordingFile(folder.appending(path: "a.har").path, besides: "").write(
          HAR(recording: [try Self.recorded(exchange)], names: RecordedNames()))
      }
    ),
    ("a HAR file, `.strict`", { try Self.write($0, .strict, to: $1) }),
    ("a HAR file, `.byName`", { try Self.write($0, .byName, to: $1) }),
  ]

  private static func session(_ token: String, _ store: any TokenStore) -> TokenSession {
    let grant = ClosureGrant { _ in Fail(error: TestFailure()).eraseToAnyPublisher() }
    let session = TokenSession(grant: grant, store: store)
    try? session.signIn(Credential(accessToken: token))
    return session
  }

  private static func sent(_ exchange: Exchange) -> URLRequest {
    exchange.token.map { exchange.request.addingBearerAuthorization(token: $0) }
      ?? exchange.request
  }

  private static func recorded(_ exchange: Exchange) throws -> RecordedExchange {
    var recorded = RecordedExchange(
      request: sent(exchange), start: Date(timeIntervalSince1970: 0), isInPieces: false,
      limit: 9_999)
    recorded.head = ResponseHead(
      url: try #require(exchange.request.url), statusCode: 200, headers: exchange.headers)
    recorded.append(exchange.body, after: .zero)
    recorded.end = .complete
    return recorded
  }

  private static func write(_ exchange: Exchange, _ redaction: Redaction, to folder: URL) throws {
    let request = sent(exchange)
    let head = ResponseHead(
      url: try #require(request.url), statusCode: 200, headers: exchange.headers)
    let recording = HARRecording(
      request: request, requestBody: HARBody(request.httpBody ?? Data()),
      start: Date(timeIntervalSince1970: 0),
      outcome: .response(head, body: HARBody(exchange.body)), duration: .zero, metrics: nil)
    let entry = try #require(HAREntry(recording, redaction: redaction))
    try HAR(entries: [entry]).write(to: folder.appending(path: "a.har"))
  }

  // MARK: Reading

  /// Returns who sees a secret in the files of a folder.
  private static func readers(of folder: URL, _ name: String) throws -> String {
    var sight = "nobody, not its name"
    let files = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String }
    for path in files ?? [] {
      let file = folder.appending(path: path)
      guard let data = try? Data(contentsOf: file) else { continue }
      let text = String(decoding: data, as: UTF8.self)
      if Canary.isTold(in: text) {
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions]
        let isOwners = try #require(mode as? NSNumber).intValue & 0o077 == 0
        return isOwners ? "its owner" : "everybody"
      }
      if text.lowercased().contains(name.lowercased()) { sight = "nobody, only its name" }
    }
    return sight
  }

  /// A name for each entry of the one list.
  private static let names =
    SecretNames.words.sorted() + SecretNames.stems + SecretNames.endings.map { "client_\($0)" }
    + SecretNames.wholeNames.sorted()

  private static func cell(_ row: Row, _ store: Store) async throws -> String {
    var cells: Set<String> = []
    for name in names {
      let folder = try TemporaryFolder()
      let place = folder.url.appending(path: "store")
      try FileManager.default.createDirectory(
        at: place, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
      try await store.keep(try row.exchange(name, Canary.secret), place)
      cells.insert(try readers(of: place, name))
    }
    // Some names are also words of the text around them.
    return ["everybody", "its owner", "nobody, not its name"].first(where: cells.contains)
      ?? cells.sorted().joined(separator: "; ")
  }

  @Test("The table of stores in Docs/Security.md is who sees each secret, for each name")
  func table() async throws {
    var lines = ["| a secret in | " + Self.stores.map(\.title).joined(separator: " | ") + " |"]
    lines.append("| --- |" + String(repeating: " --- |", count: Self.stores.count))
    for row in Self.rows {
      var cells: [String] = []
      for store in Self.stores { cells.append(try await Self.cell(row, store)) }
      lines.append("| \(row.title) | \(cells.joined(separator: " | ")) |")
    }
    let page = try String(
      contentsOf: PackageFolder.url.appending(path: "Docs/Security.md"), encoding: .utf8)
    let table = lines.joined(separator: "\n")
    let isThere = page.contains(table)
    #expect(isThere, "Docs/Security.md has another table than this:\n\(table)")
  }
}
