import Foundation
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Responses that a closure makes of the request")
struct StubResponseTests {
  private struct API: RESTAPI {
    let baseURL = base
    let transport: any Transport
  }

  /// A script that counts the bytes of each request's body.
  private static let counting = StubAPIResponse(
    request: StubRequest(.put, path: "/v1/orders/*")
  ) { request in
    StubResponse(
      statusCode: 201, headers: ["X-Path": request.url?.path() ?? ""],
      result: .json("\(request.httpBody?.count ?? 0)"))
  }

  /// The two worlds.
  private static func transports(_ script: StubAPIResponse) throws -> [StubTransport] {
    [StubTransport(script), try StubTransport(script, over: URLSessionTransport())]
  }

  @Test("It is made of each request, in memory and over a socket")
  func worlds() async throws {
    for stubs in try Self.transports(Self.counting.repeats(2)) {
      let api = API(transport: stubs)
      for count in [3, 5] {
        let response = try await api.put(
          endpoint: "orders/\(count)", body: .data(Data(count: count))
        ).value
        #expect(response.statusCode == 201)
        #expect(response.headers["X-Path"] == "/v1/orders/\(count)")
        #expect(response.data == Data("\(count)".utf8))
      }
      #expect(stubs.journal.map(\.outcome) == [.answered(201), .answered(201)])
      try stubs.verify()
    }
  }

  @Test("It may come in pieces, or be a fault, in memory and over a socket")
  func forms() async throws {
    let script = StubAPIResponse(request: .get("/a")) { _ in
      StubResponse(statusCode: 202, pieces: ["a", "b"])
    }
    .thenRespondWith(request: .get("/a")) { _ in StubResponse(result: .fault(.bodyCut)) }
    .thenRespondWith(request: .get("/a"), result: .json("2"))
    for stubs in try Self.transports(script) {
      let api = API(transport: stubs)
      let response = try await api.get(endpoint: "a").value
      #expect(response.statusCode == 202 && response.data == Data("ab".utf8))
      let error = await #expect(throws: RESTError.self) { try await api.get(endpoint: "a").value }
      #expect(error?.kind == .transport(.bodyCut))
      #expect(try await api.get(endpoint: "a").value.data == Data("2".utf8))
      try stubs.verify()
    }
  }

  @Test("Its delay comes after that of the stub, in virtual time")
  func delay() throws {
    let scheduler = TestScheduler()
    let stubs = StubTransport(
      StubAPIResponse(request: .get("/a"), delay: .seconds(1)) { _ in
        StubResponse(delay: .seconds(2))
      }, scheduler: scheduler)
    let subscriber = try stubs.subscriber("/a")
    scheduler.advance(by: .milliseconds(2_999))
    #expect(subscriber.values.isEmpty)
    scheduler.advance(by: .milliseconds(1))
    #expect(subscriber.values.count == 1)
  }

  @Test("An error that it throws fails the call and the test, at its line")
  func throwing() throws {
    let line = #line + 1
    let script = StubAPIResponse(request: .get("/a")) { _ in throw TestFailure(description: "no") }
    for stubs in try Self.transports(script) {
      let subscriber = try stubs.subscriber("/a")
      let error = try #require(subscriber.failure as? StubError)
      #expect(
        error.description == """
          GET https://api.example.com/v1/a has no response: the closure at \
          RESTKitTestingTests/StubResponseTests.swift:\(line) threw no
          """)
      #expect(error.failures.map(\.kind) == [.responseFailed])
      #expect(error.failures.map(\.location.line) == [UInt(line)])
      #expect(error.failures.first?.underlyingError is TestFailure)
      #expect(stubs.journal.map(\.outcome) == [.failed])
      let verified = #expect(throws: StubError.self) { try stubs.verify() }
      #expect(verified?.description == error.description)
    }
  }

  @Test("The text of its error shows no secret if they are hidden")
  func hidden() throws {
    let stubs = StubTransport(
      StubAPIResponse(request: .get("/a")) { _ in
        throw TestFailure(description: "wrong: token=canary")
      }, hidesSecrets: true)
    let failure = try #require(try stubs.subscriber("/a").failure)
    #expect(!"\(failure)".contains("canary"))
  }

  @Test("A response whose body cannot be made or sent fails the test")
  func invalid() throws {
    let stubs = StubTransport(
      StubAPIResponse(request: .get("/a")) { _ in
        StubResponse(result: .file(URL(filePath: "/nowhere")))
      }
      .thenRespondWith(request: .get("/a")) { _ in
        StubResponse(headers: ["Content-Length": "x"], pieces: ["a"])
      })
    for _ in 1...2 { #expect(throws: StubError.self) { try stubs.text("/a") } }
    let error = #expect(throws: StubError.self) { try stubs.verify() }
    #expect(error?.failures.map(\.kind) == [.invalidStub, .invalidStub])
  }

  @Test("Its stub is named in reports, and is verified and repeated as others are")
  func script() throws {
    let line = #line + 2
    let stubs = StubTransport(
      StubAPIResponse(request: .get("/a")) { _ in StubResponse() }.always().optional()
        .thenVerifyRequest { _ in throw TestFailure() })
    #expect(throws: StubError.self) { try stubs.text("/a") }
    let error = #expect(throws: StubError.self) { try stubs.text("/b") }
    #expect(
      error?.description.contains(
        "GET \(base)/a → a closure's response "
          + "(RESTKitTestingTests/StubResponseTests.swift:\(line)), next") == true)
  }

  @Test("A closure may use a transport itself")
  func reentrant() throws {
    let other = StubTransport(.text("1", for: "/a"))
    let stubs = StubTransport(
      StubAPIResponse(request: .get("/a")) { _ in
        StubResponse(result: .json(try other.text("/a")))
      })
    #expect(try stubs.text("/a") == "1")
  }
}

@Suite("Delays and faults that a seed draws")
struct StubChanceTests {
  private static let script = StubAPIResponse.text("1", for: "/a")

  /// The virtual time and the outcome of one call after the other.
  private func outcomes(
    of script: StubAPIResponse, count: Int = 40
  ) throws -> [(time: Duration, fault: RESTError.Kind?)] {
    let scheduler = TestScheduler()
    let stubs = StubTransport(script.repeats(count), scheduler: scheduler)
    let outcomes = try (0..<count).map { _ in
      let start = scheduler.now
      let subscriber = try stubs.subscriber("/a")
      scheduler.run()
      return (scheduler.now - start, (subscriber.failure as? RESTError)?.kind)
    }
    try stubs.verify()
    return outcomes
  }

  @Test("Each use has its own delay in the range, the same in each run, in virtual time")
  func delays() throws {
    let range = Duration.seconds(1)...(.seconds(3))
    let times = try outcomes(of: Self.script.delayed(by: range, seed: 7)).map(\.time)
    #expect(times.allSatisfy(range.contains))
    #expect(Set(times).count == times.count)
    #expect((times.max() ?? .zero) - (times.min() ?? .zero) > .seconds(1))
    #expect(try outcomes(of: Self.script.delayed(by: range, seed: 7)).map(\.time) == times)
    #expect(try outcomes(of: Self.script.delayed(by: range, seed: 8)).map(\.time) != times)
  }

  @Test("A random delay adds to the stub's own, and a negative time counts as zero")
  func sum() throws {
    let script = StubAPIResponse(request: .get("/a"), delay: .seconds(1))
      .delayed(by: .seconds(-5)...(.seconds(-1)), seed: 1)
    #expect(
      try outcomes(of: script, count: 3).map(\.time) == Array(repeating: .seconds(1), count: 3))
  }

  @Test("Calls at the same time have the delays that calls one after the other have")
  func sideBySide() throws {
    let script = Self.script.delayed(by: .zero...(.seconds(9)), seed: 3)
    let times = try outcomes(of: script, count: 10).map(\.time)
    let scheduler = TestScheduler()
    let stubs = StubTransport(script.repeats(10), scheduler: scheduler)
    let subscribers = try (0..<10).map { _ in try stubs.subscriber("/a") }
    for time in times.sorted() {
      scheduler.advance(by: time - scheduler.now)
      #expect(
        subscribers.map { !$0.values.isEmpty } == times.map { $0 <= time }, "after \(time)")
    }
  }

  @Test("A share of the uses fails, the same ones in each run", arguments: 0..<10)
  func faults(seed: UInt64) throws {
    let script = Self.script.failing(with: .connectionRefused, probability: 0.3, seed: seed)
    let faults = try outcomes(of: script, count: 200).map(\.fault)
    let count = faults.count { $0 == .transport(.connectionRefused) }
    #expect((30...90).contains(count))
    #expect(faults.allSatisfy { $0 == nil || $0 == .transport(.connectionRefused) })
    #expect(try outcomes(of: script, count: 200).map(\.fault) == faults)
  }

  @Test("A probability of zero or none is no fault, one or more is always one")
  func bounds() throws {
    for (probability, isFault) in [(0, false), (-1, false), (.nan, false), (1, true), (9, true)] {
      let script = Self.script.failing(with: .notTLS, probability: probability, seed: 1)
      #expect(try outcomes(of: script).allSatisfy { ($0.fault != nil) == isFault })
    }
  }

  @Test("Several faults and a delay are drawn apart, and a body in pieces fails, too")
  func several() throws {
    let script = StubAPIResponse(request: .get("/a"), pieces: ["a", "b"])
      .failing(with: .bodyCut, probability: 0.5, seed: 1)
      .failing(with: .connectionRefused, probability: 0.5, seed: 2)
      .delayed(by: .seconds(1)...(.seconds(2)), seed: 3)
    let outcomes = try outcomes(of: script)
    #expect(Set(outcomes.map { $0.fault.map { "\($0)" } ?? "" }).count == 3)
    #expect(Set(outcomes.map(\.time)).count == outcomes.count)
  }

  @Test("The same uses fail in memory and over a socket")
  func worlds() async throws {
    let script = Self.script.failing(with: .closedBeforeResponse, probability: 0.5, seed: 5)
      .repeats(12)
    var outcomes: [[Bool]] = []
    for stubs in [StubTransport(script), try StubTransport(script, over: URLSessionTransport())] {
      var answered: [Bool] = []
      for _ in 0..<12 {
        let request = URLRequest(url: try #require(URL(string: base + "/a")))
        answered.append((try? await stubs.response(for: request).value) != nil)
      }
      outcomes.append(answered)
      try stubs.verify()
    }
    #expect(outcomes[0] == outcomes[1])
    #expect(Set(outcomes[0]).count == 2)
  }
}
