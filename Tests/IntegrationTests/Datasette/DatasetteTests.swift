import Foundation
import RESTKit
import Streams
import StreamsTesting
import Synchronization
import Testing

extension IntegrationTests {
  /// A table of 3,000 rows in pages, and the search in it.
  @Suite("Against Datasette", .timeLimit(.minutes(5)))
  struct Datasette {
    // MARK: Pages

    @Test("pages by links bring each row once, in order", arguments: TransportKind.allCases)
    func pages(kind: TransportKind) async throws {
      var pages: [[Package]] = []
      for try await page in try DatasetteAPI(kind).pages(from: Packages()).values {
        pages.append(page)
      }
      #expect(pages.count == 30)
      #expect(pages.flatMap(\.self).map(\.id) == Array(1...3000))
    }

    @Test(
      "pages with a condition and an order, whose links have a cursor of two values",
      arguments: TransportKind.allCases)
    func conditions(kind: TransportKind) async throws {
      let packages = Packages(
        pageSize: 64, conditions: ["license": "MIT", "_sort_desc": "downloads"])
      let rows = try await DatasetteAPI(kind).pages(from: packages).collect().value.flatMap(\.self)
      #expect(Set(rows.map(\.id)) == Set((1...3000).filter { $0 % 3 != 0 }))
      #expect(rows.count == 2000)
      #expect(rows.map(\.downloads) == rows.map(\.downloads).sorted(by: >))
    }

    @Test("a reader that stops early requests no further page", arguments: TransportKind.allCases)
    func stop(kind: TransportKind) async throws {
      let wire = CountedRequests(try kind.makeTransport())
      let datasette = try DatasetteAPI(wire.transport)
      let first = try await datasette.pages(from: Packages()).prefix(3).collect().value
      #expect(first.flatMap(\.self).map(\.id) == Array(1...300))
      #expect(wire.count == 3)
    }

    @Test(
      "pages that the server calls fresh come from the cache", arguments: TransportKind.allCases)
    func cache(kind: TransportKind) async throws {
      let wire = CountedRequests(try kind.makeTransport())
      let cache = HTTPCache()
      let pages = try DatasetteAPI(wire.transport)
        .pages(from: Packages(pageSize: 1000, conditions: ["_ttl": 600]))
        .cached(in: cache)
      for _ in 1...2 {
        #expect(try await pages.collect().value.flatMap(\.self).map(\.id) == Array(1...3000))
      }
      #expect(wire.count == 3)
    }

    @Test("a page of lines arrives as values", arguments: TransportKind.allCases)
    func lines(kind: TransportKind) async throws {
      let rows = try await DatasetteAPI(kind).publisher(for: PackageLines()).collect().value
      #expect(rows.map(\.id) == Array(1...1000))
    }

    // MARK: Search

    @Test("a search as one types delivers the latest", arguments: TransportKind.allCases)
    func search(kind: TransportKind) async throws {
      let datasette = try DatasetteAPI(kind)
      let scheduler = TestScheduler()
      let typed = PassthroughSubject<String, Never>()
      let (results, found) = AsyncStream.makeStream(of: [Package].self)
      let searching =
        typed
        .debounce(for: .milliseconds(300), scheduler: scheduler)
        .removeDuplicates()
        .map { text in
          datasette.publisher(for: PackageSearch(text: text)).replaceError(with: [])
        }
        .switchToLatest()
        .sink { found.yield($0) }
      for text in ["g", "gr", "green", "blue 29", "blue 2999"] {
        typed.send(text)
        // Each is sent, and replaced before the server has answered.
        scheduler.advance(by: .milliseconds(300))
      }
      var iterator = results.makeAsyncIterator()
      #expect(await iterator.next()?.map(\.id) == [2999])
      typed.send("red 3000")
      scheduler.advance(by: .milliseconds(300))
      #expect(await iterator.next()?.map(\.id) == [3000])
      searching.cancel()
    }

    @Test(
      "values with any characters find their row",
      arguments: TransportKind.allCases,
      ["a+b & c=d", "100% of é/ü?", #"a "quoted" #name"#, "日本語"])
    func characters(kind: TransportKind, name: String) async throws {
      let datasette = try DatasetteAPI(kind)
      let packages = try await datasette.send(Packages(conditions: ["name__exact": name]))
      #expect(packages.map(\.name) == [name])
      let rows = try await datasette.send(
        SQLQuery(
          sql: "select id, name || '+' as odd from packages where name = :name",
          values: ["name": name]))
      #expect(rows[0]?["odd"]?.string == name + "+")
      #expect(rows[0]?["id"]?.integer == packages.first?.id)
      #expect(rows.array?.count == 1)
    }

    // MARK: Errors

    private func refusal(
      of request: some Endpoint, by datasette: DatasetteAPI
    ) async throws -> DatasetteRefusal {
      let failure = await #expect(throws: DatasetteFailure.self) {
        try await datasette.send(request)
      }
      guard case .refused(let refusal) = failure else { throw try #require(failure) }
      return refusal
    }

    @Test("a refusal is the server's, typed", arguments: TransportKind.allCases)
    func refusals(kind: TransportKind) async throws {
      let datasette = try DatasetteAPI(kind)
      let column = try await refusal(of: Packages(conditions: ["_col": "nothing"]), by: datasette)
      #expect(column.status == 400)
      #expect(column.error.contains("nothing"))

      let sql = try await refusal(of: SQLQuery(sql: "select price from packages"), by: datasette)
      #expect(sql.error == "no such column: price")

      let count = """
        with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n
        """
      let slow = try await refusal(of: SQLQuery(sql: count), by: datasette)
      #expect(slow.title == "SQL Interrupted")
    }

    @Test("a table that is not there is a 404 with its body", arguments: TransportKind.allCases)
    func notFound(kind: TransportKind) async throws {
      let datasette = try DatasetteAPI(kind)
      let error = await #expect(throws: RESTError.self) {
        try await datasette.get(endpoint: "index/nothing.json").validateStatus().value
      }
      #expect(error?.kind == .status(404))
      let body = try JSONDecoder().decode(JSONValue.self, from: #require(error?.body))
      #expect(body["error"]?.string == "Table not found")
    }

    // MARK: CSV

    @Test("the whole table arrives as lines of CSV", arguments: TransportKind.allCases)
    func csvLines(kind: TransportKind) async throws {
      let datasette = try DatasetteAPI(kind)
      let lines = try await datasette.events(PackagesCSV()).validateStatus().lines()
        .collect().value
      #expect(lines.count == 3001)
      #expect(lines.first == "id,name,summary,downloads,license")
      #expect(lines.last?.hasPrefix("3000,package-3000,") == true)
    }

    @Test("the whole table is downloaded as CSV into a file", arguments: TransportKind.allCases)
    func csvFile(kind: TransportKind) async throws {
      let datasette = try DatasetteAPI(kind)
      let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).csv")
      defer { try? FileManager.default.removeItem(at: file) }
      var completed: Int64 = 0
      for try await event in datasette.download(PackagesCSV(), to: file).values {
        if case .progress(let progress) = event { completed = progress.completedBytes }
      }
      let text = try String(contentsOf: file, encoding: .utf8)
      #expect(text.split(whereSeparator: \.isNewline).count == 3001)
      #expect(completed == Int64(text.utf8.count))
    }
  }
}

/// A transport that counts its requests.
private struct CountedRequests: Sendable {
  let transport: InterceptedTransport
  private let sent: Count

  private final class Count: Sendable {
    let value = Mutex(0)
  }

  init(_ transport: any Transport) {
    let sent = Count()
    self.sent = sent
    self.transport = transport.intercepted { _ in sent.value.withLock { $0 += 1 } }
  }

  var count: Int { sent.value.withLock { $0 } }
}
