import Fixtures
import Foundation
import RESTKit
import Streams
import StreamsTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("A response in pieces whose token is refused is requested once more", .leakFree)
struct PieceAuthorizationTests {
  typealias Subscriber = TestSubscriber<TransferEvent, any Error>

  private let world = SessionWorld()

  private func events(
    _ endpoint: String, in world: SessionWorld, body: RequestBody? = nil,
    requestModifier: @escaping RequestModifier = { $0 }
  ) -> AnyPublisher<TransferEvent, any Error> {
    world.session.authorize(
      world.api.events(
        body == nil ? .get : .put, endpoint: endpoint, body: body, requestModifier: requestModifier
      ))
  }

  private func begin(
    _ endpoint: String, in world: SessionWorld, demand: Subscribers.Demand = .unlimited
  ) -> Subscriber {
    let subscriber = Subscriber(demand: demand)
    events(endpoint, in: world).receive(subscriber: subscriber)
    return subscriber
  }

  @Test(
    "TR-01 Only the pieces of the second response come, and all waiting calls share one refresh")
  func once() {
    world.server.expireTokens()
    let whole = world.callMany(2)
    let pieces = (1...3).map { begin("b\($0)", in: world) }
    world.scheduler.run()
    #expect(whole.map(\.outcome) == ["200", "200"])
    for (number, call) in zip(1..., pieces) {
      #expect(call.text == #"head 200, {"path": "/b\#(number)"}, end"#)
      #expect(world.server.tokens(at: "b\(number)") == ["t0", "t1"])
    }
    #expect(world.server.refreshes == 1)
  }

  @Test("Withheld events use no demand")
  func whatWasAskedFor() {
    world.server.expireTokens()
    let call = begin("a", in: world, demand: .none)
    world.scheduler.run()
    #expect(call.values.isEmpty)
    #expect(world.server.refreshes == 0)

    call.request(.max(1))
    world.scheduler.run()
    #expect(call.text == "head 200")
    call.request(.max(1))
    world.scheduler.run()
    #expect(call.text == #"head 200, {"path": "/a"}, end"#)
    #expect(call.unaskedCount == 0)
  }

  @Test("TR-03 After a late 401 to an older token the request is repeated without a refresh")
  func late() {
    world.server.expireTokens()
    world.server.delay("slow", by: .seconds(1))
    let slow = begin("slow", in: world)
    let quick = begin("quick", in: world)
    world.scheduler.run()
    #expect([slow, quick].map(\.text).allSatisfy { $0.hasPrefix("head 200") })
    #expect(world.server.tokens(at: "slow") == ["t0", "t1"])
    #expect(world.server.refreshes == 1)
  }

  @Test("TR-11 A second 401 is an error with the body and the log")
  func secondRefusal() throws {
    world.server.expireTokens()
    world.server.refuseNewTokens()
    let call = begin("a", in: world)
    world.scheduler.run()
    let error = try #require(call.failure as? RESTError)
    #expect(call.values.isEmpty)
    #expect(error.kind == .status(401))
    #expect(error.body == Data(#"{"error": "invalid_token"}"#.utf8))
    #expect(error.attempts == 2)
    #expect(error.log?.description.contains("401") == true)
    #expect(world.server.refreshes == 1)
  }

  @Test(
    "TR-12 A server that refuses each new token gets no more refreshes than for whole responses")
  func storm() {
    world.server.expireTokens()
    world.server.refuseNewTokens()
    let ends = (1...7).map { _ in
      let call = Subscriber()
      // Sent body bytes do not mean that a token was accepted.
      events("a", in: world, body: .data(Data("a".utf8))).receive(subscriber: call)
      world.scheduler.run()
      return (call.failure as? TokenSessionError)?.name ?? "status"
    }
    #expect(
      ends == Array(repeating: "status", count: 5) + ["newTokensRefused", "newTokensRefused"])
    #expect(world.server.refreshes == 5)
  }

  @Test("TR-17 A refused refresh fails the call, and nothing of the 401 is delivered")
  func refreshRefused() {
    world.server.expireTokens()
    world.server.answerRefreshes(.deadGrant)
    let call = begin("a", in: world)
    world.scheduler.run()
    #expect(call.values.isEmpty)
    #expect((call.failure as? TokenSessionError)?.name == "refused")
  }

  @Test("TR-10 TR-32 A 401 to a request without the session's token passes unchanged")
  func foreign() {
    world.server.expireTokens()
    let own = Subscriber()
    events("a", in: world) { $0.addingBearerAuthorization(token: "mine") }
      .receive(subscriber: own)
    let plain = Subscriber()
    world.api.events(endpoint: "b").receive(subscriber: plain)
    world.scheduler.run()
    #expect(own.text == #"head 401, {"error": "invalid_token"}, end"#)
    #expect(plain.text == own.text)
    #expect(world.server.refreshes == 0)
  }

  @Test("TR-15 A status rule is evaluated at the head; after a second refusal the pieces come")
  func ruleOnStatus() {
    let world = SessionWorld(
      options: TokenSessionOptions(refusals: .unauthorized.or(.insufficientScope)))
    world.server.answer(
      "a",
      .json(
        "no", status: 403, headers: ["WWW-Authenticate": "Bearer error=\"insufficient_scope\""]))
    let call = begin("a", in: world)
    world.scheduler.run()
    #expect(call.text == "head 403, no, end")
    #expect(world.server.tokens(at: "a") == ["t0", "t1"])
    #expect(world.server.refreshes == 1)
  }

  @Test("TR-16 A refusal only in the body passes: pieces are not held back for a rule")
  func ruleOnBody() {
    let world = SessionWorld(
      options: TokenSessionOptions(refusals: .unauthorized.or(.errorCode(["expired"]))))
    world.server.answer("a", .json(#"{"error": "expired"}"#))
    let call = begin("a", in: world)
    world.scheduler.run()
    #expect(call.text == #"head 200, {"error": "expired"}, end"#)
    #expect(world.server.refreshes == 0)
  }

  @Test("TR-16 A refusal that the rule withdraws at the body is a failure")
  func ruleAgainstBody() {
    let world = SessionWorld(
      options: TokenSessionOptions(
        refusals: RefusalRule { $0.statusCode == 403 && $0.data.isEmpty }))
    world.server.answer("a", .json("quota", status: 403))
    let call = begin("a", in: world)
    world.scheduler.run()
    #expect(call.values.isEmpty)
    #expect((call.failure as? RESTError)?.kind == .status(403))
    #expect((call.failure as? RESTError)?.body == Data("quota".utf8))
    #expect(world.server.refreshes == 0)
  }

  @Test("A stage in between with values of another type never sees the refused response")
  func mapped() {
    world.server.expireTokens()
    let chunks = TestSubscriber<Int, any Error>()
    world.session.authorize(
      world.api.events(endpoint: "a").map {
        if case .head(let head) = $0 { head.statusCode } else { 0 }
      }
    )
    .receive(subscriber: chunks)
    world.scheduler.run()
    #expect(chunks.values == [200, 0])
    #expect(world.server.tokens(at: "a") == ["t0", "t1"])
  }

  @Test("TR-09 A body is sent again, whole, and its progress begins anew")
  func replayed() {
    world.server.expireTokens()
    let call = Subscriber()
    events("a", in: world, body: .data(Data("abc".utf8))).receive(subscriber: call)
    world.scheduler.run()
    #expect(
      call.text
        == #"sent 3 of 3 bytes, sent 3 of 3 bytes, head 200, {"path": "/a"}, end"#)
    #expect(
      world.server.requests.filter { $0.url?.path == "/a" }.map(\.httpBody)
        == Array(repeating: Data("abc".utf8), count: 2))
  }

  @Test("A one-shot body is not sent again; the call fails and says so")
  func onlyOnce() throws {
    world.server.expireTokens()
    let chunks = [Data("a".utf8)].publisher.setFailureType(to: (any Error).self)
    let call = Subscriber()
    events("a", in: world, body: .chunks(chunks)).receive(subscriber: call)
    world.scheduler.run()
    let error = try #require(call.failure as? RESTError)
    #expect(error.kind == .invalidRequest)
    #expect(error.description.contains("isReplayable"))
    #expect(call.text == "sent 1 of 1 bytes, failure")
    #expect(world.server.tokens(at: "a") == ["t0"])
  }

  @Test("TR-24 A call that is cancelled while it waits is not sent again")
  func cancelled() {
    world.server.expireTokens()
    world.server.delay("auth/refresh", by: .seconds(1))
    let call = begin("a", in: world)
    world.scheduler.advance(by: .milliseconds(500))
    call.cancel()
    world.scheduler.run()
    #expect(call.signals.count == 1)
    #expect(world.server.tokens(at: "a") == ["t0"])
    #expect(world.server.refreshes == 1)
  }

  @Test("TR-35 In a thousand orders, calls in pieces and whole ones share one refresh")
  func orders() throws {
    try TestScheduler.explore(seeds: 0..<1_000) { scheduler in
      let world = SessionWorld(scheduler)
      world.server.expireTokens()
      let pieces = [Subscriber(), Subscriber()]
      let whole = SessionWorld.Subscriber()
      for (number, call) in pieces.enumerated() {
        scheduler.schedule { events("a\(number)", in: world).receive(subscriber: call) }
      }
      scheduler.schedule { world.get("b").receive(subscriber: whole) }
      scheduler.run()
      for (number, call) in pieces.enumerated() {
        try demand(
          call.text == #"head 200, {"path": "/a\#(number)"}, end"#, call.text)
        let tokens = world.server.tokens(at: "a\(number)")
        try demand(tokens == ["t0", "t1"] || tokens == ["t1"], "\(tokens)")
      }
      try demand(whole.outcome == "200", whole.outcome)
      try demand(world.server.refreshes == 1, "\(world.server.calls)")
    }
  }
}

extension TestSubscriber where Input == TransferEvent, Failure == any Error {
  /// All that came, in words.
  fileprivate var text: String {
    var words = values.map { event in
      switch event {
      case .sent(let progress): "sent \(progress)"
      case .head(let head): "head \(head.statusCode)"
      case .chunk(let chunk): String(decoding: chunk, as: UTF8.self)
      }
    }
    if isFinished { words.append("end") }
    if failure != nil { words.append("failure") }
    return words.joined(separator: ", ")
  }
}
