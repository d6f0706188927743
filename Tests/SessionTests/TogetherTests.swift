import Fixtures
import Foundation
import Streams
import StreamsTesting
import Testing

@testable import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What a call can be given, and what its server can do.
private enum Element: String, CaseIterable, Sendable {
  case session, retry, rateLimiter, cache, coalescer
  case deadline = "call(deadline:)"
  case redirects

  /// Whether an API has it as a property.
  var isProperty: Bool { ![.deadline, .redirects].contains(self) }

  /// Whether it is an operator.
  var isOperator: Bool { self != .redirects }
}

/// What a call has, and how.
private struct Setup: CustomStringConvertible, Sendable {
  /// The properties of the API, and what the server does.
  var properties: Set<Element> = []
  /// The operators, the one nearest to the verb first.
  var operators: [Element] = []

  func has(_ element: Element) -> Bool {
    properties.contains(element) || operators.contains(element)
  }

  /// Whether a call ends at its deadline.
  ///
  /// A retry outside of the deadline does not know it, and may wait longer. It sends nothing then.
  var endsInTime: Bool {
    guard let deadline = operators.firstIndex(of: .deadline) else { return false }
    return !operators[deadline...].contains(.retry)
  }

  var description: String {
    let own = properties.map(\.rawValue).sorted().joined(separator: ", ")
    return "API(\(own))" + operators.map { ".\($0.rawValue)" }.joined()
  }

  /// Each way to give a call these elements: as properties and as operators, in each order.
  static func all(of elements: [Element]) -> [Setup] {
    elements.reduce([Setup()]) { setups, element in
      setups.flatMap { setup in
        var next: [Setup] = []
        if element.isProperty || !element.isOperator {
          var other = setup
          other.properties.insert(element)
          next.append(other)
        }
        if element.isOperator {
          for place in 0...setup.operators.count {
            var other = setup
            other.operators.insert(element, at: place)
            next.append(other)
          }
        }
        return next
      }
    }
  }
}

/// Calls in virtual time, at a server whose tokens live ten seconds, shorter than each wait.
private final class Together: Sendable {
  private struct State {
    var tokens = ["t0": Duration.zero]
    var newest = "t0"
    /// How often a request to a place was throttled: of the first two calls each, twice.
    var refusals: [String: Int] = [:]
    var posts = 0
    var story: [String] = []
    var faults: [String] = []
    var lastSending: Duration?
  }

  private static let life = Duration.seconds(10)
  private static let deadline = Duration.seconds(30)
  private static let begin = Date(timeIntervalSince1970: 784_111_777)

  private let setup: Setup
  private let scheduler = TestScheduler()
  private let state = Lock(State())

  init(_ setup: Setup) { self.setup = setup }

  /// Lets all calls come to their ends.
  ///
  /// - Returns: What happened, and what is wrong with it.
  static func run(_ setup: Setup) -> (story: [String], faults: [String]) {
    let world = Together(setup)
    world.run()
    return world.state.withLock { ($0.story, $0.faults.map { "\(setup): \($0)" }) }
  }

  private func tell(_ text: String) {
    let now = scheduler.now / .seconds(1)
    state.withLock { $0.story.append("\(now): \(text)") }
  }

  // MARK: The server

  private func answer(_ request: URLRequest) -> ScriptedTransport.ServerResponse {
    let now = scheduler.now
    let method = request.httpMethod ?? "GET"
    let path = request.url?.lastPathComponent ?? ""
    let token = request.value(forHTTPHeaderField: "Authorization").map { String($0.dropFirst(7)) }
    tell("\(method) \(path) \(token ?? "-")")
    return state.withLock { state in
      if setup.has(.rateLimiter), let last = state.lastSending, now - last < .seconds(12) {
        state.faults.append("a request without a turn at \(now)")
      }
      state.lastSending = now
      // Calls begin at 0 and 100 seconds.
      let age = now < .seconds(100) ? now : now - .seconds(100)
      if setup.has(.deadline), age >= Self.deadline {
        state.faults.append("a request after the deadline at \(now)")
      }
      if setup.has(.session) {
        guard let token, let issued = state.tokens[token], now < issued + Self.life else {
          state.faults.append("\(token ?? "no token") at \(now)")
          return .status(401)
        }
        if token != state.newest { state.faults.append("\(token) beside \(state.newest)") }
      }
      if setup.has(.redirects), path == "a" { return .status(307, ["Location": "/b"]) }
      if setup.has(.retry), state.refusals[method + path, default: 0] < 4 {
        state.refusals[method + path, default: 0] += 1
        return .status(429, ["Retry-After": "20"])
      }
      if method == "POST" {
        state.posts += 1
        if state.posts > 1 { state.faults.append("a POST twice") }
      }
      return .status(200, ["Cache-Control": "max-age=45"])
    }
  }

  /// Issues a token, after two seconds.
  private var token: AnyPublisher<TokenResponse, any Error> {
    Just(()).setFailureType(to: (any Error).self).delay(for: .seconds(2), scheduler: scheduler)
      .map { [self] in
        let now = scheduler.now
        return state.withLock { state in
          if let issued = state.tokens[state.newest], now < issued + Self.life - .seconds(1) {
            state.faults.append("\(state.newest) is renewed at \(now), though it is good")
          }
          state.newest = "t\(state.tokens.count)"
          state.tokens[state.newest] = now
          return TokenResponse(accessToken: state.newest, lifetime: Self.life)
        }
      }.eraseToAnyPublisher()
  }

  // MARK: The calls

  private func run() {
    let date: @Sendable () -> Date = { [scheduler] in
      Self.begin + scheduler.now / .seconds(1)
    }
    var options = TokenSessionOptions()
    options.leeway = .seconds(1)
    let session = TokenSession(
      grant: ClosureGrant { [self] _ in token },
      store: MemoryTokenStore(
        Credential(accessToken: "t0", refreshToken: "r", expiresAt: Self.begin + 10)),
      options: options, scheduler: scheduler, date: date)
    let policy = RetryPolicy.test(scheduler) { $0.totalTime = .seconds(300) }
    let limiter = RateLimiter(
      1, per: .seconds(12), burst: 1, maxWait: .seconds(300), scheduler: scheduler)
    let (cache, coalescer) = (HTTPCache(date: date), RequestCoalescer())
    let transport = ScriptedTransport(on: scheduler, taking: .seconds(3)) { [self] _, request in
      answer(request)
    }
    let has = setup.properties
    let api = TestAPI(
      baseURL: TestAPI.origin, transport: transport,
      session: has.contains(.session) ? session : nil,
      retry: has.contains(.retry) ? policy : nil,
      rateLimiter: has.contains(.rateLimiter) ? limiter : nil,
      cache: has.contains(.cache) ? cache : nil,
      coalescer: has.contains(.coalescer) ? coalescer : nil)
    func call(
      _ name: String, _ verb: AnyPublisher<RESTResponse, any Error>
    ) -> TestSubscriber<RESTResponse, any Error> {
      let call = setup.operators.reduce(verb) { call, element in
        switch element {
        case .session: session.authorize(call)
        case .retry: call.retry(policy)
        case .rateLimiter: call.rateLimited(by: limiter)
        case .cache: call.cached(in: cache)
        case .coalescer: call.coalesced(in: coalescer)
        case .deadline: call.call(deadline: .after(Self.deadline, scheduler: scheduler))
        case .redirects: call
        }
      }
      let subscriber = TestSubscriber<RESTResponse, any Error>()
      let begin = scheduler.now
      call.handleEvents(
        receiveOutput: { [self] in tell("\(name) \($0.statusCode)") },
        receiveCompletion: { [self] end in
          if case .failure(let error) = end {
            tell("\(name) \((error as? RESTError).map { "\($0.kind)" } ?? "\(error)")")
          }
          let now = scheduler.now
          if setup.endsInTime, now > begin + Self.deadline {
            state.withLock { $0.faults.append("\(name) ends after its deadline") }
          }
        }
      ).receive(subscriber: subscriber)
      return subscriber
    }
    var calls = [
      call("1", api.get(endpoint: "a")), call("2", api.get(endpoint: "a")),
      call("3", api.post(endpoint: "p", body: nil)),
    ]
    scheduler.advance(by: .seconds(100))
    calls.append(call("4", api.get(endpoint: "a")))
    scheduler.run()
    let isSure = !setup.has(.deadline)
    for (number, call) in calls.enumerated() {
      let status = call.values.map(\.statusCode)
      // A POST without a key is not sent again.
      let expected = number == 2 && setup.has(.retry) ? [429] : [200]
      if call.completions.count != 1 || isSure && status != expected {
        state.withLock { $0.faults.append("call \(number + 1) ends with \(status)") }
      }
    }
  }
}

@Suite("What holds alone holds together", .leakFree)
struct TogetherTests {
  /// The sets of so many elements.
  private static func sets(_ count: Int) -> [[Element]] {
    guard count > 0 else { return [[]] }
    return sets(count - 1).flatMap { set in
      let next = set.last.flatMap { Element.allCases.firstIndex(of: $0) }.map { $0 + 1 } ?? 0
      return Element.allCases[next...].map { set + [$0] }
    }
  }

  @Test(
    "No stale token, no turn in vain, one refresh, no POST twice, deadlines kept: in all orders",
    arguments: [1, 2, 3])
  func invariants(count: Int) async {
    for set in Self.sets(count) {
      // Other tests wait for this thread, and some have a time limit.
      await Task.yield()
      for setup in Setup.all(of: set) {
        for fault in Together.run(setup).faults { Issue.record("\(fault)") }
      }
    }
  }

  @Test("The same for more elements, by seed")
  func drawn() async {
    var generator = SeededGenerator(seed: 40)
    for round in 0..<300 {
      if round % 10 == 0 { await Task.yield() }
      let count = Int.random(in: 4...Element.allCases.count, using: &generator)
      let set = Array(Element.allCases.shuffled(using: &generator).prefix(count))
      guard let setup = Setup.all(of: set).randomElement(using: &generator) else { continue }
      for fault in Together.run(setup).faults { Issue.record("\(fault)") }
    }
  }

  @Test("The table of the guide says what each order means")
  func table() throws {
    let names = Element.allCases
    var lines = [
      "| | " + names.dropFirst().map { "`\($0.rawValue)`" }.joined(separator: " | ") + " |",
      "| --- |" + String(repeating: " --- |", count: names.count - 1),
    ]
    for (row, first) in names.enumerated().dropLast() {
      let cells = names.enumerated().dropFirst().map { column, second in
        guard column > row else { return "" }
        let setups = Setup.all(of: [first, second])
        let stories = Set(setups.map { Together.run($0).story })
        return stories.count == 1
          ? "\(setups.count), the same" : "\(setups.count), \(stories.count) outcomes"
      }
      lines.append("| `\(first.rawValue)` | " + cells.joined(separator: " | ") + " |")
    }
    let guide = try String(
      contentsOf: PackageFolder.url.appending(path: "Docs/Composing.md"), encoding: .utf8)
    let table = lines.joined(separator: "\n")
    #expect(guide.contains(table), "\(table)")
  }
}
