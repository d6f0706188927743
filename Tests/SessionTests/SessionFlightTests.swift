import Fixtures
import Foundation
import Streams
import StreamsTesting
import Testing

@testable import HTTPWire
@testable import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("One refresh for any number of calls", .leakFree)
struct SessionFlightTests {
  private let world = SessionWorld()

  @Test(
    "TR-01 Calls that are refused together share one refresh, and each is sent once more",
    arguments: [1, 2, 100])
  func together(count: Int) {
    world.server.expireTokens()
    let calls = world.callMany(count)
    world.scheduler.run()

    #expect(calls.allSatisfy { $0.outcome == "200" })
    #expect(world.server.refreshes == 1)
    for number in 1...count { #expect(world.server.tokens(at: "a\(number)") == ["t0", "t1"]) }
  }

  @Test("TR-02 A call that begins during a refresh waits, and is sent once, with the new token")
  func beginsMeanwhile() {
    world.server.expireTokens()
    world.server.delay("auth/refresh", by: .seconds(2))
    let first = world.call("first")
    world.scheduler.advance(by: .seconds(1))
    let second = world.call("second")
    #expect(world.server.tokens(at: "second").isEmpty)
    world.scheduler.run()

    #expect([first.outcome, second.outcome] == ["200", "200"])
    #expect(world.server.tokens(at: "second") == ["t1"])
    #expect(world.server.refreshes == 1)
  }

  @Test("The log of a call that waits for another one's refresh names that refresh")
  func joins() {
    world.server.expireTokens()
    world.server.delay("auth/refresh", by: .seconds(2))
    world.call("first")
    world.scheduler.advance(by: .seconds(1))
    let second = TestSubscriber<RESTResponse, any Error>()
    world.get("second").receive(subscriber: second)
    world.scheduler.run()
    let log = second.values.first?.journal?.log.events.map(\.description) ?? []
    #expect(log.contains("waits for refresh 1"))
  }

  @Test("TR-03 A late 401 to an old token is answered with the current one, without a refresh")
  func lateRefusal() {
    world.server.expireTokens()
    world.server.delay("late", by: .seconds(9))
    let late = world.call("late")
    let call = world.call("a")
    world.scheduler.advance(by: .seconds(5))
    #expect(call.outcome == "200")
    world.scheduler.run()

    #expect(late.outcome == "200")
    #expect(world.server.tokens(at: "late") == ["t0", "t1"])
    #expect(world.server.refreshes == 1)
  }

  @Test("TR-04 A late 401 to an old token joins a second refresh that runs")
  func lateRefusalDuringSecondRefresh() {
    world.server.expireTokens()
    world.server.delay("late", by: .seconds(9))
    let late = world.call("late")
    world.call("a")
    world.scheduler.advance(by: .seconds(8))
    world.server.expireTokens()
    world.server.delay("auth/refresh", by: .seconds(5))
    let second = world.call("b")
    world.scheduler.run()

    #expect([late.outcome, second.outcome] == ["200", "200"])
    #expect(world.server.tokens(at: "late") == ["t0", "t2"])
    #expect(world.server.refreshes == 2)
  }

  @Test("TR-05 A token near its end is refreshed before the first request, once for all calls")
  func proactive() {
    let world = SessionWorld(
      credential: Credential(
        accessToken: "t0", refreshToken: "r0", expiresAt: WallClock.start + 100))
    world.server.delay("auth/refresh", by: .seconds(1))
    #expect(world.call("early").outcome == "open")
    world.scheduler.advance(by: .seconds(69))
    world.call("before")
    world.scheduler.advance(by: .seconds(1))
    let calls = world.callMany(10)
    world.scheduler.run()

    #expect(world.server.tokens(at: "before") == ["t0"])
    #expect(calls.allSatisfy { $0.outcome == "200" })
    for number in 1...10 { #expect(world.server.tokens(at: "a\(number)") == ["t1"]) }
    #expect(world.server.refreshes == 1)
  }

  @Test("TR-05 A refusal while a token near its end is refreshed joins that refresh")
  func proactiveWithReactive() {
    let world = SessionWorld(
      credential: Credential(
        accessToken: "t0", refreshToken: "r0", expiresAt: WallClock.start + 100))
    world.server.expireTokens()
    world.server.delay("refused", by: .seconds(71))
    world.server.delay("auth/refresh", by: .seconds(5))
    let refused = world.call("refused")
    world.scheduler.advance(by: .seconds(70))
    let near = world.call("near")
    world.scheduler.run()

    #expect([refused.outcome, near.outcome] == ["200", "200"])
    #expect(world.server.tokens(at: "refused") == ["t0", "t1"])
    #expect(world.server.refreshes == 1)
  }

  @Test("TR-08 After a refresh with the same token comes one more request, then the 401 is final")
  func sameToken() throws {
    world.server.expireTokens()
    world.server.answerRefreshes(.json(#"{"accessToken": "t0"}"#))
    let call = world.call("a")
    world.scheduler.run()

    #expect(call.outcome == "status(401)")
    #expect(world.server.tokens(at: "a") == ["t0", "t0"])
    #expect(world.server.refreshes == 1)
  }

  @Test("TR-09 Calls continue in the order in which they began to wait")
  func order() {
    world.server.expireTokens()
    world.server.delay("auth/refresh", by: .seconds(1))
    world.call("trigger")
    world.scheduler.advance()
    let calls = world.callMany(50)
    world.scheduler.run()

    #expect(calls.allSatisfy { $0.outcome == "200" })
    let order = world.server.calls.filter { $0.token == "t1" }.map(\.path)
    #expect(order == ["/trigger"] + (1...50).map { "/a\($0)" })
  }

  @Test("TR-09 A repeated request is built again, with its modifier and its whole body")
  func rebuilt() throws {
    world.server.expireTokens()
    let log = ValueLog<String>()
    let call = world.begin(
      world.session.authorize(
        world.api.post(endpoint: "orders", body: .data(Data("body".utf8))) { request in
          log.add(request.value(forHTTPHeaderField: "Authorization") ?? "none")
          return request.adding("X-Run", "\(log.all.count)")
        }))
    world.scheduler.run()

    #expect(call.outcome == "200")
    #expect(log.all == ["none", "none"])
    let sent = world.server.requests.filter { $0.url?.path == "/orders" }
    #expect(sent.map { $0.value(forHTTPHeaderField: "X-Run") } == ["1", "2"])
    #expect(sent.map(\.httpBody) == [Data("body".utf8), Data("body".utf8)])
  }

  @Test("TR-10 The token is set after the caller's modifier, whose own authorization is kept")
  func modifierOrder() {
    world.server.expireTokens()
    let own = world.begin(
      world.session.authorize(
        world.api.get(endpoint: "own") { $0.addingBearerAuthorization(token: "mine") }))
    world.scheduler.run()

    #expect(own.outcome == "401")
    #expect(world.server.tokens(at: "own") == ["mine"])
    #expect(world.server.refreshes == 0)
  }

  @Test("Two subscriptions of one call are two calls, each with the current token")
  func cold() {
    let publisher = world.get("a")
    #expect(world.server.calls.isEmpty)
    world.begin(publisher)
    world.scheduler.run()
    world.server.expireTokens()
    world.server.accept("t9")
    try? world.session.replaceCredential(with: Credential(accessToken: "t9"))
    world.begin(publisher)
    world.scheduler.run()
    #expect(world.server.tokens(at: "a") == ["t0", "t9"])
  }

  @Test("A publisher of other values is authorized, too, and repeated after a 401 failure")
  func decoded() throws {
    world.server.expireTokens()
    struct ServerResponse: Decodable { let path: String }
    let subscriber = TestSubscriber<String, any Error>()
    world.session.authorize(
      world.api.get(endpoint: "a").decode(type: ServerResponse.self).map(\.path)
    ).receive(subscriber: subscriber)
    world.scheduler.run()
    #expect(subscriber.values == ["/a"])
    #expect(world.server.refreshes == 1)
  }
}
