import Fixtures
import Foundation
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

@testable import HTTPWire
@testable import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("The counts and the journal of a call")
struct LogicalCallTests {
  private let scheduler = TestScheduler()

  private func api(_ stubs: StubTransport) -> TestAPI {
    TestAPI(baseURL: "https://api.example.com", transport: stubs)
  }

  private func stub(_ path: String, _ status: Int) -> StubAPIResponse {
    StubAPIResponse(
      request: .init(.get, urlString: "https://api.example.com/\(path)"), statusCode: status)
  }

  @Test("A request is built, sent and answered, in this order and with times")
  func order() async throws {
    let call = LogicalCall(clock: scheduler)
    scheduler.advance(by: .milliseconds(5))
    let response = try await api(StubTransport(stub("a", 200))).get(endpoint: "a")
      .context(ScopedCall.Key.self, ScopedCall(of: call)).value

    let kinds = call.journal.log.events.map { "\($0.kind)".prefix { $0 != "(" } }
    #expect(kinds == ["built", "sent", "received"])
    #expect(call.journal.log.events.allSatisfy { $0.time == .milliseconds(5) })
    #expect(response.journal === call.journal)
    #expect(call.attempts == 1)
  }

  @Test("Without an observer nothing is recorded")
  func plain() async throws {
    let response = try await api(StubTransport(stub("a", 200))).get(endpoint: "a").value
    #expect(response.journal == nil)
    #expect(RESTError(unacceptable: response).log == nil)
  }

  @Test("The repetition of a scope is the second attempt of a call, with its cause")
  func attempts() async throws {
    let call = LogicalCall(clock: scheduler)
    let scope = CallScope(of: call)
    let stubs = StubTransport(stub("a", 503), stub("a", 200))
    let get = api(stubs).get(endpoint: "a")
      .context(ScopedCall.Key.self, ScopedCall(of: call, scope: scope))
    _ = try await get.value
    call.beginRepetition(of: scope, cause: .retry)
    _ = try await get.value

    let sent = call.journal.log.events.compactMap { event -> String? in
      guard case .sent(let attempt, let cause) = event.kind else { return nil }
      return "\(attempt) \(cause)"
    }
    #expect(sent == ["1 first", "2 retry"])
  }

  @Test("A scope keeps its requests if one around it does, and knows a repetition without them")
  func keptRequests() throws {
    let call = LogicalCall(clock: scheduler)
    let alone = CallScope(of: call, keepsRequests: false)
    #expect(!alone.keepsRequests)
    #expect(alone.note(nil) == nil)
    call.beginRepetition(of: alone, cause: .refresh)
    #expect(alone.note(nil) == .refresh)
    #expect(alone.sentRequests.isEmpty)

    let outer = CallScope(of: call)
    let inner = CallScope(of: call, within: outer, keepsRequests: false)
    #expect(inner.keepsRequests)
    let url = try #require(URL(string: "https://api.example.com/a"))
    _ = inner.note(SentRequest(URLRequest(url: url), body: nil))
    #expect(!outer.sentRequests.isEmpty)
  }

  @Test("A redirect is not an attempt, and its event names the header fields left out")
  func redirects() async throws {
    let call = LogicalCall(clock: scheduler)
    let stubs = StubTransport(
      StubAPIResponse(
        request: .init(.get, urlString: "https://api.example.com/a"), statusCode: 302,
        headers: ["Location": "https://other.example.com/b"]),
      StubAPIResponse(request: .init(.get, urlString: "https://other.example.com/b")))
    _ = try await api(stubs).get(endpoint: "a") { $0.addingBearerAuthorization(token: "s3cret") }
      .context(ScopedCall.Key.self, ScopedCall(of: call, scope: CallScope(of: call))).value

    #expect(call.attempts == 1)
    #expect(
      stubs.requests.map { $0.value(forHTTPHeaderField: "Authorization") } == [
        "Bearer s3cret", nil,
      ])
    let dropped = call.journal.log.events.compactMap { event -> [String]? in
      guard case .redirected(let next, let names) = event.kind else { return nil }
      #expect(next.location == "https://other.example.com/b")
      return names
    }
    #expect(dropped == [["Authorization"]])
  }

  @Test("The error for a refused status has the attempts and the log of its call")
  func refusedStatus() async throws {
    let call = LogicalCall(clock: scheduler)
    let error = try await restError(
      of: api(StubTransport(stub("a", 500))).get(endpoint: "a").validateStatus()
        .context(ScopedCall.Key.self, ScopedCall(of: call)))
    #expect(error.attempts == 1)
    #expect(error.log?.events.count == 4)
  }

  @Test("The error for a fault has the attempts of its call, and the log ends with the fault")
  func fault() async throws {
    let call = LogicalCall(clock: scheduler)
    let refused = TransportError(
      kind: .connectionRefused, detail: "refused", mayHaveBeenProcessed: false)
    let stubs = StubTransport(
      .get, "https://api.example.com/a",
      result: .failure(RESTError(refused, request: RequestSummary(method: .get, url: nil))))
    let error = try await restError(
      of: api(stubs).get(endpoint: "a").context(ScopedCall.Key.self, ScopedCall(of: call)))
    #expect(error.attempts == 1)
    guard case .failed(let reason) = error.log?.events.last?.kind else {
      Issue.record("the log ends with \(String(describing: error.log?.events.last))")
      return
    }
    #expect(reason == error.reason)
  }

  @Test("Making an error has no effect; only recording it writes to the journal")
  func plainError() async throws {
    let call = LogicalCall(clock: scheduler)
    let response = try await api(StubTransport(stub("a", 404))).get(endpoint: "a")
      .context(ScopedCall.Key.self, ScopedCall(of: call)).value
    let events = call.journal.log.events.count
    let error = RESTError(unacceptable: response)
    #expect(error.log == nil)
    #expect(call.journal.log.events.count == events)

    let recorded = response.recording(error)
    #expect(recorded.log?.events.count == events + 1)
    #expect(call.journal.log.events.count == events + 1)
    #expect(recorded.attempts == 1)
  }

  @Test("A call acts as one member of each group")
  func members() {
    let call = LogicalCall(clock: scheduler)
    let groups = (0..<3).map { _ in Party() }
    let members = (0..<6).map { _ in Party() }
    for (index, group) in groups.enumerated() {
      #expect(call.admits(members[index], of: group))
    }
    for (index, group) in groups.enumerated() {
      #expect(call.admits(members[index], of: group))
      #expect(!call.admits(members[index + 3], of: group))
    }
  }

  private final class Party: Sendable {}

  @Test("A call refreshes once")
  func refresh() {
    let call = LogicalCall(clock: scheduler)
    #expect(call.takeRefresh())
    #expect(!call.takeRefresh())
  }

  @Test("What lets a request go on sees it after its modifiers")
  func resumption() async throws {
    let stubs = StubTransport(stub("a", 200))
    _ = try await api(stubs).get(endpoint: "a") { $0.acceptingJSON() }
      .options { options in
        options.prepare { request in
          request.setValue(request.value(forHTTPHeaderField: "Accept"), forHTTPHeaderField: "Stamp")
          return nil
        }
      }.value
    #expect(stubs.requests.first?.value(forHTTPHeaderField: "Stamp") == "application/json")
  }

  @Test("Settling a journal releases the bodies of its requests")
  func release() throws {
    let call = LogicalCall(clock: scheduler)
    weak var stream: InputStream?
    do {
      let body = InputStream(data: Data("body".utf8))
      var request = URLRequest(url: try #require(URL(string: "https://api.example.com/a")))
      request.httpBodyStream = body
      stream = body
      call.journal.recordBuilt(request)
    }
    #expect(stream != nil)
    call.journal.releaseRequests()
    #expect(stream == nil)
    #expect(call.journal.log.events.map(\.description) == ["built GET https://api.example.com/a"])
  }

  @Test("A call that ended releases its subscription context")
  func contextRelease() {
    weak var given: Given?
    let call: LogicalCall
    do {
      let value = Given()
      given = value
      call = LogicalCall(
        clock: scheduler, in: SubscriptionContext().setting(Given.Key.self, to: value))
    }
    #expect(given != nil)
    call.journal.end()
    #expect(given == nil)
    withExtendedLifetime(call) {}
  }

  private final class Given: Sendable {
    enum Key: SubscriptionContextKey {
      static var defaultValue: Given? { nil }
    }
  }

  @Test("Parts of a call that begin an instrument at the same time share one object")
  func oneBeginning() {
    let call = LogicalCall(clock: scheduler)
    let instrument = OverlappedInstrument(call.journal)
    let outer = call.journal.begin(by: [instrument], mayRepeat: true)
    let later = call.journal.begin(by: [instrument], mayRepeat: true)
    let all = instrument.calls.withLock { $0 }
    let inner = instrument.inner.withLock { $0 }
    #expect(all.count == 2)
    for calls in [outer, later, inner] {
      #expect(calls.count == 1 && calls.first === all[1])
    }
    // The other object is not needed.
    #expect(all.map(\.ends) == [1, 0])
    call.journal.end()
    #expect(all.map(\.ends) == [1, 1])
  }

  /// An instrument that another scope of the call begins at the same time.
  private final class OverlappedInstrument: CallInstrument {
    let calls = Lock<[CountedCall]>([])
    let inner = Lock<[any InstrumentedCall]>([])
    private let journal: CallJournal

    init(_ journal: CallJournal) { self.journal = journal }

    func beginCall(_ beginning: CallBeginning) -> any InstrumentedCall {
      let call = CountedCall()
      let isFirst = calls.withLock { calls in
        calls.append(call)
        return calls.count == 1
      }
      if isFirst {
        let begun = journal.begin(by: [self], mayRepeat: true)
        inner.withLock { $0 = begun }
      }
      return call
    }
  }

  private final class CountedCall: InstrumentedCall {
    private let count = Lock(0)

    var ends: Int { count.withLock { $0 } }

    func beginExchange(
      _ beginning: ExchangeBeginning, adding headers: inout HTTPHeaders
    ) -> any InstrumentedExchange {
      NoExchange()
    }

    func end(_ log: CallLog) { count.withLock { $0 += 1 } }
  }

  private final class NoExchange: InstrumentedExchange {
    func end(_ end: ExchangeEnd) {}
  }
}
