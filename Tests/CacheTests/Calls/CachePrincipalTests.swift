import Fixtures
import Foundation
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

@testable import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Stored responses belong to one user", .leakFree)
struct CachePrincipalTests {
  private let transport = HeldTransport()
  private let store = MemoryCacheStore(maxBytes: 1 << 20)
  private let cache: HTTPCache
  private let session = TokenSession(
    grant: ClosureGrant { _ in Fail<TokenResponse, any Error>(error: CancellationError()) })

  init() {
    cache = HTTPCache(store: store, date: { CacheWorld.start })
  }

  private var api: TestAPI {
    CacheWorld.api(over: transport, session: session, cache: cache)
  }

  private func get(_ fields: [String: String] = [:]) -> TestSubscriber<RESTResponse, any Error> {
    let subscriber = TestSubscriber<RESTResponse, any Error>()
    api.get(endpoint: "a") { $0.adding(fields) }.receive(subscriber: subscriber)
    return subscriber
  }

  private func answer(_ place: Int, _ body: String, _ headers: HTTPHeaders = [:]) {
    var headers = headers
    headers.append(name: "Cache-Control", value: "max-age=60")
    transport.answer(place, headers: headers, body: body)
  }

  @Test("The next user gets nothing of the previous one")
  func users() throws {
    try session.signIn(Credential(accessToken: "ada"))
    _ = get()
    answer(0, "Ada's")
    #expect(get().values.map(\.text) == ["Ada's"])
    try session.signIn(Credential(accessToken: "bob"))
    let second = get()
    #expect(second.values.isEmpty)
    answer(1, "Bob's")
    #expect(second.values.map(\.text) == ["Bob's"])
  }

  @Test("A new token has the same user, even if the response varies with Authorization")
  func renewed() throws {
    try session.signIn(Credential(accessToken: "1"))
    _ = get()
    answer(0, "Ada's", ["Vary": "Authorization, Accept"])
    try session.replaceCredential(with: Credential(accessToken: "2"))
    #expect(get().values.map(\.text) == ["Ada's"])
    #expect(get(["Accept": "text/plain"]).values.isEmpty)
  }

  @Test("A sign-out removes the user's responses, and leaves those of others")
  func signOut() throws {
    let anybody = TestSubscriber<RESTResponse, any Error>()
    api.get(endpoint: "a", authorization: .none).receive(subscriber: anybody)
    try session.signIn(Credential(accessToken: "ada"))
    let mine = get()
    for place in transport.open { answer(place, "kept") }
    #expect(anybody.isFinished && mine.isFinished)
    let bytes = store.bytes
    try session.signOut()
    #expect(store.bytes > 0)
    #expect(store.bytes < bytes)
  }

  @Test("A sign-in that replaces a user removes that user's responses")
  func signIn() throws {
    try session.signIn(Credential(accessToken: "ada"))
    _ = get()
    answer(0, "Ada's")
    try session.signIn(Credential(accessToken: "bob"))
    #expect(store.bytes == 0)
  }

  @Test("A response that arrives after a sign-out is not stored")
  func race() throws {
    try session.signIn(Credential(accessToken: "ada"))
    let asked = get()
    try session.signOut()
    answer(0, "Ada's")
    #expect(asked.values.map(\.text) == ["Ada's"])
    #expect(store.bytes == 0)
  }

  @Test(
    "Secrets in the request's own fields separate users",
    arguments: ["Authorization", "Cookie", "X-Api-Key", "x-tenant"])
  func secrets(name: String) throws {
    let plain = CacheWorld.api(over: transport, cache: cache)
    func get(_ value: String?) -> TestSubscriber<RESTResponse, any Error> {
      let subscriber = TestSubscriber<RESTResponse, any Error>()
      plain.get(endpoint: "a") { $0.adding(value.map { [name: $0] } ?? [:]) }
        .receive(subscriber: subscriber)
      return subscriber
    }
    for (place, value) in ["one", "two", nil].enumerated() {
      _ = get(value)
      answer(place, value ?? "nobody")
    }
    #expect(get("one").values.map(\.text) == ["one"])
    #expect(get("two").values.map(\.text) == ["two"])
    #expect(get(nil).values.map(\.text) == ["nobody"])
  }

  @Test("A 401 to a session is not stored, with any header fields")
  func refusal() throws {
    try session.signIn(Credential(accessToken: "ada"))
    let refused = get()
    transport.answer(0, 401, headers: ["Cache-Control": "max-age=60"])
    #expect(refused.completion != nil)
    #expect(store.bytes == 0)
  }

  @Test("A confirmation of a stored response marks the token as accepted")
  func confirmation() throws {
    try session.signIn(Credential(accessToken: "ada"))
    _ = get()
    transport.answer(0, headers: ["Cache-Control": "no-cache", "ETag": #""v1""#])
    try session.replaceCredential(with: Credential(accessToken: "new"))
    _ = get()
    #expect(session.machine.withLock { $0.current }?.wasAccepted == false)
    transport.answer(1, 304, headers: ["ETag": #""v1""#])
    #expect(session.machine.withLock { $0.current }?.wasAccepted == true)
  }

  @Test("A stored response does not mark the token as accepted")
  func acceptance() throws {
    try session.signIn(Credential(accessToken: "ada"))
    _ = get()
    transport.answer(0, 404, headers: ["Cache-Control": "max-age=60"])
    try session.replaceCredential(with: Credential(accessToken: "new"))
    #expect(get().values.map(\.statusCode) == [404])
    let current = session.machine.withLock { $0.current }
    #expect(current?.wasAccepted == false)
  }

  @Test(
    "A stale response in place of a failure does not mark the token as accepted",
    arguments: [503, nil])
  func standIn(status: Int?) throws {
    try session.signIn(Credential(accessToken: "ada"))
    _ = get()
    transport.answer(
      0, headers: ["Cache-Control": "max-age=0, stale-if-error=60", "ETag": #""v1""#], body: "one")
    try session.replaceCredential(with: Credential(accessToken: "new"))
    let asked = get()
    if let status {
      transport.answer(1, status)
    } else {
      transport.fail(1, .connectionRefused)
    }
    #expect(asked.values.map(\.text) == ["one"])
    let current = session.machine.withLock { $0.current }
    #expect(current?.wasAccepted == false)
  }

  @Test("A response that refuses the token by a rule other than 401 is not stored")
  func otherRefusal() throws {
    let session = TokenSession(
      grant: ClosureGrant { _ in Fail<TokenResponse, any Error>(error: CancellationError()) },
      options: TokenSessionOptions(refusals: .errorCode(["expired"])))
    try session.signIn(Credential(accessToken: "ada"))
    let api = CacheWorld.api(over: transport, session: session, cache: cache)
    let refused = TestSubscriber<RESTResponse, any Error>()
    api.get(endpoint: "a").receive(subscriber: refused)
    answer(0, #"{"error": "expired"}"#)
    #expect(store.bytes == 0)
    try session.replaceCredential(with: Credential(accessToken: "new"))
    let asked = TestSubscriber<RESTResponse, any Error>()
    api.get(endpoint: "a").receive(subscriber: asked)
    #expect(transport.requests.count == 2)
    answer(1, "Ada's")
    #expect(asked.values.map(\.text) == ["Ada's"])
    #expect(store.bytes > 0)
  }

  @Test("A refused token leaves what is stored, and the next token confirms it")
  func refusedValidation() throws {
    let session = TokenSession(
      grant: ClosureGrant { _ in Fail<TokenResponse, any Error>(error: CancellationError()) },
      options: TokenSessionOptions(refusals: .errorCode(["expired"])))
    try session.signIn(Credential(accessToken: "ada"))
    let api = CacheWorld.api(over: transport, session: session, cache: cache)
    func get() -> TestSubscriber<RESTResponse, any Error> {
      let subscriber = TestSubscriber<RESTResponse, any Error>()
      api.get(endpoint: "a").receive(subscriber: subscriber)
      return subscriber
    }
    let first = get()
    transport.answer(
      0, headers: ["Cache-Control": "no-cache", "ETag": #""v1""#], body: "Ada's")
    #expect(first.values.map(\.text) == ["Ada's"])
    let refused = get()
    answer(1, #"{"error": "expired"}"#)
    #expect(refused.completion != nil)
    try session.replaceCredential(with: Credential(accessToken: "new"))
    let confirmed = get()
    #expect(transport.requests.last?.value(forHTTPHeaderField: "If-None-Match") == #""v1""#)
    transport.answer(2, 304, headers: ["ETag": #""v1""#])
    #expect(confirmed.values.map(\.text) == ["Ada's"])
  }

  @Test("A sign-out also removes the user's responses for further secrets")
  func secretsOfUser() throws {
    try session.signIn(Credential(accessToken: "ada"))
    for (place, cookie) in ["one", "two"].enumerated() {
      _ = get(["Cookie": cookie])
      answer(place, cookie)
    }
    #expect(get(["Cookie": "one"]).values.map(\.text) == ["one"])
    try session.signOut()
    #expect(store.bytes == 0)
  }

  @Test("A session observes its user's end once, with any number of other secrets")
  func watchedOnce() {
    let span = SignInSpan(of: SessionTag())
    var changes = CacheChanges()
    for number in 0..<3 {
      let partition = CachePartition(
        of: ["Cookie": "\(number)"], to: "", over: .plain, askedBy: span, names: .standard)
      #expect(partition.principal == span.name)
      #expect(changes.beginWatching(span.name) == (number == 0))
    }
  }

  @Test("A user's responses are removed when the session is released")
  func letGo() throws {
    do {
      let session = TokenSession(
        grant: ClosureGrant { _ in Fail<TokenResponse, any Error>(error: CancellationError()) })
      try session.signIn(Credential(accessToken: "ada"))
      let subscriber = TestSubscriber<RESTResponse, any Error>()
      CacheWorld.api(over: transport, session: session, cache: cache)
        .get(endpoint: "a").receive(subscriber: subscriber)
      answer(0, "Ada's")
      #expect(store.bytes > 0)
    }
    #expect(store.bytes == 0)
  }
}
