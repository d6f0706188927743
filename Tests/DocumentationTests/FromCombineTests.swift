import Foundation
import RESTKit
import RESTKitTesting
import RESTKitTestingTraits
import Streams
import StreamsTesting
import Synchronization
import Testing

@Suite("The examples of Docs/FromCombine.md run", .stubs, .leakFree)
struct FromCombineTests {
  @MainActor @Test("The search waits for a pause, sends one request, and shows the result")
  func model() async throws {
    let scheduler = TestScheduler()
    let stubs = StubTransport(
      StubAPIResponse(
        request: .init(.get, urlString: "https://shop.example.com/products?name=tea"),
        result: .json(#"[{"name": "Assam"}, {"name": "Sencha"}]"#)))
    let model = FromCombine.SearchModel(
      api: .init(baseURL: "https://shop.example.com", transport: stubs), scheduler: scheduler)
    model.text.send("te")
    scheduler.advance(by: .milliseconds(200))
    model.text.send("tea")
    scheduler.advance(by: .milliseconds(300))
    // The model's deliveries were queued on the main actor before this task.
    await Task { @MainActor in }.value
    #expect(model.names == ["Assam", "Sencha"])
  }

  @MainActor @Test("A moved model shows the values and is not retained")
  func moved() async throws {
    var titles: FromCombine.Titles? = FromCombine.Titles(suffix: "!")
    weak let released = titles
    titles?.text.send("Assam")
    titles?.prefix.send("2")
    titles?.text.send("Sencha")
    titles?.text.send("")
    await Task { @MainActor in }.value
    #expect(titles?.names == ["1: Assam!", "2: Sencha!", "2: nothing!"])
    #expect(titles?.seen == 3)
    titles = nil
    #expect(released == nil)
  }

  @MainActor @Test("The layers of an app load, and tell of it on the main actor")
  func layers() async throws {
    let repository = FromCombine.CountedRepository()
    let interactor = FromCombine.CountriesInteractor(repository: repository)
    let countries = await withCheckedContinuation { continuation in
      interactor.load { continuation.resume(returning: $0) }
    }
    #expect(countries == [FromCombine.Country(name: "Chad")])
    guard case .loaded = interactor.state else {
      Issue.record("It is \(interactor.state).")
      return
    }
    #expect(repository.calls.withLock { $0 } == 1)
  }

  @Test(
    "Each message in the table is one that the compiler gives to code that .ci/refused compiles")
  func messages() throws {
    let guide = try Repository.text(of: "Docs/FromCombine.md")
    let tables = guide.split(separator: "| the compiler says | why | write |\n").dropFirst()
    let folders = ["Combine", "Types", "Schedulers", "Names", "App"]
    #expect(tables.count == folders.count)
    for (table, folder) in zip(tables, folders) {
      let refused = try Repository.files(in: "Tests/Refused/\(folder)", endingIn: ".swift")
        .map { try Repository.text(of: $0) }.joined()
      let rows = table.split(separator: "\n", omittingEmptySubsequences: false)
        .prefix { $0.hasPrefix("|") }.dropFirst()
      // The message stands in the first column, which may name a second one.
      let messages = rows.flatMap { row in
        row.split(separator: " | ")[0].matches(of: /`([^`]+)`/).map { String($0.1) }
      }
      .filter { $0.contains(" ") && !$0.hasPrefix("[") }
      #expect(messages.count >= rows.count)
      let expected =
        refused.matches(of: /error @[+-][0-9](?: [0-9])? {{(.+)}}\n/)
        + refused.matches(of: /warning @\+1 {{(.+)}}\n/)
      let given = Set(expected.map { String($0.1) })
      #expect(given.subtracting(messages) == [], "not in the table")
      #expect(Set(messages).subtracting(given) == [], "not in Tests/Refused/\(folder)")
    }
  }

  @Test("A refresh runs between two attempts, however many values it delivers")
  func retryOn() {
    let attempts = Lock(0)
    let request = Deferred { () -> AnyPublisher<String, FromCombine.APIError> in
      let isFirst = attempts.withLock { attempts in
        attempts += 1
        return attempts == 1
      }
      return isFirst
        ? Fail(error: .unauthorized).eraseToAnyPublisher()
        : Just("Ada").setFailureType(to: FromCombine.APIError.self).eraseToAnyPublisher()
    }
    let refresh = Record<Void, FromCombine.APIError>(output: [(), ()], completion: .finished)
    let seen = TestSubscriber<String, FromCombine.APIError>()
    FromCombine.afterRefresh(
      request.eraseToAnyPublisher(), refresh: refresh.eraseToAnyPublisher()
    ).subscribe(seen)
    #expect(seen.values == ["Ada"])
    #expect(seen.isFinished)
    #expect(attempts.withLock { $0 } == 2)
  }

  @Test("An error keeps its type")
  func typed() {
    let seen = TestSubscriber<Int, FromCombine.APIError>()
    FromCombine.checked(Publishers.Sequence([1, -1, 2]).eraseToAnyPublisher()).subscribe(seen)
    #expect(seen.values == [1])
    #expect(seen.failure == .negativePrice)
  }

  @Test("The work of a Single starts anew with each attempt, and a cancel stops it")
  func single() {
    let client = ClientOnDemand()
    let seen = TestSubscriber<String, FromCombine.APIError>()
    FromCombine.answer(of: client).subscribe(seen)
    client.resolve(.failure(.unauthorized))
    #expect(client.started.withLock { $0 } == 2)
    client.resolve(.success("Ada"))
    #expect(seen.values == ["Ada"])

    let cancelled = TestSubscriber<String, FromCombine.APIError>()
    FromCombine.answer(of: client).subscribe(cancelled)
    let stops = client.stops.withLock { $0 }
    cancelled.cancel()
    #expect(client.stops.withLock { $0 } == stops + 1)
    client.resolve(.success("too late"))
    #expect(cancelled.signals.count == 1)
  }

  @Test("A task awaits one value, receives many, and sends its own to a publisher")
  func tasks() async throws {
    let lines = AsyncStream { continuation in
      continuation.yield("a")
      continuation.yield("b")
      continuation.finish()
    }
    let (answer, sum, words) = try await FromCombine.inTasks(
      Just("Ada").setFailureType(to: FromCombine.APIError.self).eraseToAnyPublisher(),
      Publishers.Sequence([1, 2, 3]).setFailureType(to: (any Error).self).eraseToAnyPublisher(),
      lines)
    #expect(answer == "Ada")
    #expect(sum == 6)
    #expect(words == ["A", "B"])
  }

  @Test("A context reaches the source over a hop")
  func context() async throws {
    #expect(try await FromCombine.onSettings() == "asked for by settings")
  }
}

/// A client whose responses come when a test says so.
private final class ClientOnDemand: FromCombine.Client {
  private struct OneJob: FromCombine.Job {
    let client: ClientOnDemand

    func stop() { client.stops.withLock { $0 += 1 } }
  }

  private typealias Completion = @Sendable (Result<String, FromCombine.APIError>) -> Void

  private struct Waiting: Sendable {
    let completion: Completion
  }

  private let waiting = Lock<[Waiting]>([])
  let started = Lock(0)
  let stops = Lock(0)

  func start(
    _ completion: @escaping @Sendable (Result<String, FromCombine.APIError>) -> Void
  ) -> any FromCombine.Job {
    started.withLock { $0 += 1 }
    waiting.withLock { $0.append(Waiting(completion: completion)) }
    return OneJob(client: self)
  }

  /// Resolves the latest call.
  func resolve(_ result: Result<String, FromCombine.APIError>) {
    waiting.withLock { $0.popLast() }?.completion(result)
  }
}

@Suite("The tables of Docs/FromCombine.md name existing code")
struct FromCombineTableTests {
  private struct Row {
    let combine: [String]
    let here: [String]
  }

  /// The rows of the tables whose first column is headed Combine; a counterpart that is the same
  /// has the names of the first column.
  private func rows() throws -> [Row] {
    let page = try Repository.text(of: "Docs/FromCombine.md")
    var rows: [Row] = []
    var isTable = false
    for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      guard line.hasPrefix("|"), cells.count >= 2 else {
        isTable = false
        continue
      }
      if cells[0] == "Combine" { isTable = true }
      guard isTable, cells[0] != "Combine", !cells[0].hasPrefix("---") else { continue }
      rows.append(
        Row(combine: code(in: cells[0]), here: names(in: cells[1] == "=" ? cells[0] : cells[1])))
    }
    return rows
  }

  /// The texts in code font.
  private func code(in cell: String) -> [String] {
    cell.matches(of: /`([^`]+)`/).map { String($0.1) }
  }

  /// The last part of each name in code font, without arguments: of `Publishers.Map`, `Map`.
  private func names(in cell: String) -> [String] {
    code(in: cell).compactMap { code in
      code.prefixMatch(of: /[A-Za-z0-9.]+/).flatMap { $0.0.split(separator: ".").last }
        .map(String.init)
    }
  }

  @Test("Each counterpart is declared in the sources")
  func declared() throws {
    var declared: Set<String> = []
    for module in ["Streams", "HTTPWire", "HTTPTransport", "RESTKit"] {
      for path in try Repository.files(in: "Sources/\(module)", endingIn: ".swift") {
        let names = try Repository.text(of: path).matches(
          of: /(?:func|struct|class|enum|protocol|typealias|var|case|extension) `?([A-Za-z0-9]+)/)
        declared.formUnion(names.map { String($0.1) })
      }
    }
    let rows = try rows()
    #expect(rows.count > 80)
    for name in Set(rows.flatMap(\.here)).sorted() {
      #expect(declared.contains(name), "\(name)")
    }
  }

  @Test("Each Combine name stands only once")
  func once() throws {
    var seen: Set<String> = []
    let page = try rows().flatMap(\.combine)
    #expect(page.filter { !seen.insert($0).inserted }.isEmpty)
  }
}
