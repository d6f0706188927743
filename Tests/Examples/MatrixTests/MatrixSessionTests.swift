import Foundation
import Matrix
import RESTKit
import RESTKitTesting
import RESTKitTestingTraits
import Streams
import StreamsTesting
import Testing

@Suite(
  "A Matrix client signs in, and keeps its device and the server's limits", .stubs, .virtualTime)
struct MatrixSessionTests {
  let time: VirtualTime
  init() throws { time = try #require(VirtualTime.current) }

  @Test("A sign-in sends the password, and keeps the device with the tokens")
  func signIn() throws {
    let stubs = StubTransport(
      StubAPIResponse(
        request: at(.post, "login").jsonBody(
          """
          {"type": "m.login.password", "password": "pw", "refresh_token": true,
           "identifier": {"type": "m.id.user", "user": "alice"}}
          """),
        result: tokens("a1", "r1")))
    let service = MatrixService(homeserver: home, transport: stubs)
    #expect(service.signIn(as: "alice", password: "pw").test.isFinished)
    #expect(service.device == "DEV")
  }

  @Test("A wrong password is Matrix's error")
  func wrongPassword() {
    let stubs = StubTransport(
      StubAPIResponse(
        request: at(.post, "login"), statusCode: 403, result: refused("M_FORBIDDEN")))
    let service = MatrixService(homeserver: home, transport: stubs)
    let end = service.signIn(as: "alice", password: "no").test
    guard case .refused(let words, let error) = end.failure else {
      Issue.record("\(String(describing: end.failure))")
      return
    }
    #expect(words.errcode == "M_FORBIDDEN" && (error as? RESTError)?.isForbidden == true)
  }

  @Test("An expired token is renewed once for parallel calls; the device stays")
  func refresh() throws {
    let stubs = StubTransport(
      StubAPIResponse(
        request: at(.post, "refresh").jsonBody(#"{"refresh_token": "r1"}"#),
        result: .json(#"{"access_token": "a2", "refresh_token": "r2", "expires_in_ms": 300000}"#),
        delay: .seconds(1)
      ),
      StubAPIResponse(
        request: at(.get, "account/whoami").header("Authorization", "Bearer a2"),
        result: .json(#"{"user_id": "@alice:example"}"#)
      ).repeats(5))
    let service = try signedIn(stubs)
    time.advance(by: .seconds(301))
    let calls = (0..<5).map { _ in service.userID.test }
    time.advance(by: .seconds(1))
    #expect(calls.allSatisfy { $0.values == ["@alice:example"] })
    #expect(service.device == "DEV")
  }

  @Test("A token that the server refuses early is renewed, too")
  func refusedToken() throws {
    let whoami = at(.get, "account/whoami")
    let stubs = StubTransport(
      StubAPIResponse(request: whoami, statusCode: 401, result: refused("M_UNKNOWN_TOKEN"))
        .thenRespondWith(request: at(.post, "refresh"), result: tokens("a2", "r2"))
        .thenRespondWith(
          request: whoami.header("Authorization", "Bearer a2"),
          result: .json(#"{"user_id": "@alice:example"}"#)))
    #expect(try signedIn(stubs).userID.test.values == ["@alice:example"])
  }

  @Test("A soft sign-out is told apart from a hard one", arguments: [true, false])
  func softLogout(isSoft: Bool) throws {
    let stubs = StubTransport(
      StubAPIResponse(
        request: at(.post, "refresh"), statusCode: 401,
        result: refused("M_UNKNOWN_TOKEN", #", "soft_logout": \#(isSoft)"#)))
    let service = try signedIn(stubs)
    let signOuts = service.session.signOuts.test
    time.advance(by: .seconds(301))
    defer {
      if case .refused(let error) = signOuts.values.first {
        #expect(error is RESTError)
      } else {
        Issue.record("\(signOuts.signals)")
      }
    }
    guard case .signedOut(isSoft) = service.userID.test.failure else {
      Issue.record("not signed out")
      return
    }
    #expect(service.device == nil)
  }

  @Test("A sign-out ends the tokens, with a new one if the token has expired")
  func signOut() throws {
    let stubs = StubTransport(
      StubAPIResponse(request: at(.post, "refresh"), result: tokens("a2", "r2"))
        .thenRespondWith(
          request: at(.post, "logout").header("Authorization", "Bearer a2"), result: .json("{}")))
    let service = try signedIn(stubs)
    time.advance(by: .seconds(301))
    #expect(service.signOut().test.isFinished)
    guard case .signedOut(soft: false) = service.userID.test.failure else {
      Issue.record("still signed in")
      return
    }
  }

  @Test("A sign-out forgets the user at once, also if the server does not answer")
  func signOutOffline() throws {
    let stubs = StubTransport(
      StubAPIResponse(request: at(.post, "logout"), result: .fault(.hostNotFound)).always())
    let service = try signedIn(stubs)
    let end = service.signOut().test
    #expect(service.device == nil)
    time.advance(by: .seconds(60))
    #expect(end.failure != nil)
  }

  @Test("A server's limit is waited for, as its body says", arguments: [HTTPMethod.put, .post])
  func limit(method: HTTPMethod) throws {
    let request =
      method == .put
      ? at(.put, "rooms/!r:example/send/m.room.message/t1") : at(.post, "join/!r:example")
    let stubs = StubTransport(
      StubAPIResponse(
        request: request, statusCode: 429,
        result: refused("M_LIMIT_EXCEEDED", #", "retry_after_ms": 20000"#)
      )
      .repeats(5)
      .thenRespondWith(request: request, result: .json(#"{"event_id": "$1"}"#)))
    let service = try signedIn(stubs)
    let call =
      method == .put
      ? service.send("Hi", to: room, transaction: "t1").map { _ in }.eraseToAnyPublisher()
      : service.join(room)
    let end = call.test
    time.advance(by: .seconds(99))
    #expect(end.completion == nil)
    time.advance(by: .seconds(4))
    #expect(end.completion != nil && end.failure == nil)
  }

  @Test("A message is sent again with its transaction after a break; a POST is not")
  func repeats() throws {
    let put = at(.put, "rooms/!r:example/send/m.room.message/t1")
    let stubs = StubTransport(
      StubAPIResponse(request: put, result: .fault(.resetBeforeResponse))
        .thenRespondWith(request: put, result: .json(#"{"event_id": "$1"}"#)),
      StubAPIResponse(
        request: at(.post, "createRoom"), result: .fault(.resetBeforeResponse)))
    let service = try signedIn(stubs)
    let sent = service.send("Hi", to: room, transaction: "t1").test
    let created = service.createRoom(named: "New").test
    time.advance(by: .seconds(5))
    #expect(sent.values == ["$1"])
    guard case .call(let error as RESTError) = created.failure else {
      Issue.record("created")
      return
    }
    #expect(error.kind == .transport(.connectionReset))
  }

  @Test("A password answers the question before a device is deleted")
  func userInteraction() throws {
    let delete = at(.delete, "devices/OLD")
    let question = #""flows": [{"stages": ["m.login.password"]}], "params": {}, "session": "s1""#
    let stubs = StubTransport(
      StubAPIResponse(
        request: delete.jsonBody("{}"), statusCode: 401, result: .json("{\(question)}")
      )
      .thenRespondWith(
        request: delete.jsonBody(
          """
          {"auth": {"type": "m.login.password", "password": "no", "session": "s1",
           "identifier": {"type": "m.id.user", "user": "@alice:example"}}}
          """), statusCode: 401,
        result: .json(#"{"errcode": "M_FORBIDDEN", "error": "Wrong", \#(question)}"#)
      )
      .thenRespondWith(
        request: delete.jsonBody("{}"), statusCode: 401, result: .json("{\(question)}")
      )
      .thenRespondWith(
        request: delete.jsonBody(containing: #"{"auth": {"password": "pw"}}"#),
        result: .json("{}")))
    let service = try signedIn(stubs)
    guard case .refused(let again, _) = service.deleteDevice("OLD", password: "no").test.failure
    else {
      Issue.record("not asked")
      return
    }
    #expect(again.errcode == "M_FORBIDDEN")
    #expect(service.deleteDevice("OLD", password: "pw").test.values.count == 1)
  }

  @Test("The homeserver of a name is found")
  func discovery() {
    let stubs = StubTransport(
      StubAPIResponse(
        request: StubRequest(.get, urlString: "https://example.com/.well-known/matrix/client"),
        result: .json(#"{"m.homeserver": {"base_url": "https://m.example.com/"}}"#)),
      StubAPIResponse(
        request: StubRequest(.get, urlString: "https://plain.example/.well-known/matrix/client"),
        statusCode: 404))
    #expect(
      MatrixService.homeserver(of: "example.com", transport: stubs).test.values == [
        "https://m.example.com"
      ])
    #expect(
      MatrixService.homeserver(of: "plain.example", transport: stubs).test.values == [
        "https://plain.example"
      ])
  }
}
