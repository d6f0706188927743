import Foundation
import Matrix
import Observation
import RESTKit
import RESTKitTesting
import RESTKitTestingTraits
import Streams
import StreamsTesting
import Testing

@Suite("A Matrix client loses no event of a room", .stubs, .virtualTime)
struct MatrixRoomTests {
  let time: VirtualTime
  let sync = at(.get, "sync")

  init() throws { time = try #require(VirtualTime.current) }

  @Test("Updates go on from the last place after a break, with each event once")
  func resume() throws {
    let stubs = StubTransport(
      StubAPIResponse(request: sync.query(["timeout": "0"]), result: batch("s1", ["a"]))
        .thenRespondWith(
          request: sync.query(["timeout": "30000", "since": "s1"]), result: batch("s2", ["b"])
        )
        .thenRespondWith(
          request: sync.query(containing: ["since": "s2"]), result: .fault(.resetInBody)
        )
        .thenRespondWith(
          request: sync.query(containing: ["since": "s2"]), result: .fault(.connectionRefused)
        )
        .repeats(3)
        .thenRespondWith(
          request: sync.query(containing: ["since": "s2"]), result: batch("s3", ["c"])
        )
        .thenRespondWith(
          request: sync.query(containing: ["since": "s3"]), result: .fault(.stall)
        ).always())
    let texts = try signedIn(stubs).updates().texts
    time.advance(by: .seconds(200))
    #expect(texts.values == [["a"], ["b"], ["c"]])
    texts.cancel()
  }

  @Test("A token that ends while updates are followed is renewed")
  func expiry() throws {
    let stubs = StubTransport(
      StubAPIResponse(request: sync, result: batch("s1", ["a"]))
        .thenRespondWith(
          request: sync.header("Authorization", "Bearer a1"), statusCode: 401,
          result: refused("M_UNKNOWN_TOKEN"), delay: .seconds(20)
        )
        .thenRespondWith(request: at(.post, "refresh"), result: tokens("a2", "r2"))
        .thenRespondWith(
          request: sync.header("Authorization", "Bearer a2").query(containing: ["since": "s1"]),
          result: batch("s2", ["b"])
        )
        .thenRespondWith(request: sync, result: .fault(.stall)))
    let texts = try signedIn(stubs).updates().texts
    time.advance(by: .seconds(20))
    #expect(texts.values == [["a"], ["b"]])
    texts.cancel()
  }

  @Test("Events that the server leaves out are fetched, also over a restart")
  func gap() throws {
    let messages = at(.get, "rooms/!r:example/messages")
    let stubs = StubTransport(
      StubAPIResponse(
        request: sync.query(containing: ["since": "s1"]), result: batch("s2", ["e"], limited: true)
      )
      .thenRespondWith(
        request: messages.query(
          ["dir": "b", "limit": "50", "from": "p-s2", "to": "s1"]),
        result: .json(#"{"chunk": [\#(event("d")), \#(event("c"))], "end": "m1"}"#)
      )
      .thenRespondWith(
        request: messages.query(containing: ["from": "m1"]), statusCode: 503
      )
      .repeats(4)
      .thenRespondWith(
        request: messages.query(containing: ["from": "m1"]),
        result: .json(#"{"chunk": [\#(event("b"))]}"#)
      )
      .thenRespondWith(
        request: sync.query(containing: ["since": "s2"]), result: .fault(.stall)
      ).always())
    let texts = try signedIn(stubs).updates(since: "s1").texts
    time.advance(by: .seconds(200))
    #expect(texts.values == [["b", "c", "d", "e"]])
    texts.cancel()
  }

  @Test("A sign-out ends the updates, also in a request and in a wait", arguments: [true, false])
  func signOutEnds(isInRequest: Bool) throws {
    let stubs = StubTransport(
      StubAPIResponse(request: sync, result: batch("s1", ["a"]))
        .thenRespondWith(
          request: sync, result: isInRequest ? batch("s2", ["b"]) : .fault(.connectionRefused),
          delay: isInRequest ? .seconds(25) : .zero),
      StubAPIResponse(request: at(.post, "logout"), result: .json("{}")))
    let service = try signedIn(stubs)
    let texts = service.updates().texts
    time.advance(by: .seconds(1))
    #expect(service.signOut().test.isFinished)
    time.advance()
    guard case .signedOut(soft: false) = texts.failure else {
      Issue.record("not ended: \(texts.signals), \(stubs.journal)")
      return
    }
    #expect(texts.values == [["a"]])
  }

  @Test("A soft sign-out ends the updates as one")
  func softSignOutEnds() throws {
    let stubs = StubTransport(
      StubAPIResponse(request: sync, result: batch("s1", ["a"]))
        .thenRespondWith(request: sync, statusCode: 401, result: refused("M_UNKNOWN_TOKEN"))
        .thenRespondWith(
          request: at(.post, "refresh"), statusCode: 401,
          result: refused("M_UNKNOWN_TOKEN", #", "soft_logout": true"#)))
    let texts = try signedIn(stubs).updates().texts
    time.advance()
    guard case .signedOut(soft: true) = texts.failure else {
      Issue.record("\(texts.signals)")
      return
    }
  }

  @Test("Pages of history are asked for as far as they are wanted")
  func history() throws {
    let messages = at(.get, "rooms/!r:example/messages")
    let stubs = StubTransport(
      StubAPIResponse(
        request: messages.query(["dir": "b", "limit": "2"]),
        result: .json(#"{"chunk": [\#(event("d")), \#(event("c"))], "end": "m1"}"#)
      )
      .thenRespondWith(
        request: messages.query(["dir": "b", "limit": "2", "from": "m1"]),
        result: .json(#"{"chunk": [\#(event("b"))], "end": "m2"}"#)))
    let pages = try signedIn(stubs).history(of: room, pageSize: 2).prefix(2).test
    #expect(pages.values.flatMap(\.chunk).compactMap(\.body) == ["d", "c", "b"])
    #expect(pages.isFinished)
  }

  @Test("History fails when the server stays away")
  func historyFails() throws {
    let stubs = StubTransport(
      StubAPIResponse(request: StubRequest(), result: .fault(.connectionRefused)).always())
    let pages = try signedIn(stubs).history(of: room).test
    time.advance(by: .seconds(60))
    guard case .call = pages.failure else {
      Issue.record("\(pages.signals)")
      return
    }
  }

  @Test("A room is made, joined, and people are invited")
  func rooms() throws {
    let stubs = StubTransport(
      StubAPIResponse(
        request: at(.post, "createRoom").jsonBody(#"{"name": "Tea"}"#),
        result: .json(#"{"room_id": "!r:example"}"#)
      )
      .thenRespondWith(
        request: at(.post, "rooms/!r:example/invite").jsonBody(#"{"user_id": "@bob:example"}"#),
        result: .json("{}")
      )
      .thenRespondWith(
        request: at(.post, "join/!r:example").jsonBody("{}"),
        result: .json(#"{"room_id": "!r:example"}"#)))
    let service = try signedIn(stubs)
    #expect(service.createRoom(named: "Tea").test.values == [room])
    #expect(service.invite("@bob:example", to: room).test.isFinished)
    #expect(service.join(room).test.isFinished)
  }

  @Test("An upload tells its progress, and then its address")
  func upload() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()) & more.bin")
    try Data(repeating: 7, count: 200_000).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let stubs = StubTransport(
      StubAPIResponse(
        request: StubRequest(.post, urlString: "\(home)/_matrix/media/v3/upload")
          .query(["filename": file.lastPathComponent]).header("Content-Type", "image/png")
          .body(Data(repeating: 7, count: 200_000)),
        result: .json(#"{"content_uri": "mxc://example/m1"}"#)))
    let progress = CurrentValueSubject<[Int64], Never>([])
    let uri = try signedIn(stubs)
      .upload(file, contentType: "image/png") {
        progress.send(progress.value + [$0.completedBytes])
      }
      .test
    #expect(uri.values == ["mxc://example/m1"])
    #expect(progress.value.last == 200_000 && progress.value == progress.value.sorted())
  }

  @Test("A file is fetched; an address of another kind is refused")
  func download() throws {
    let stubs = StubTransport(
      StubAPIResponse(
        request: StubRequest(
          .get, urlString: "\(home)/_matrix/client/v1/media/download/example/m1"),
        result: .success(Data("picture".utf8))))
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).png")
    defer { try? FileManager.default.removeItem(at: file) }
    let service = try signedIn(stubs)
    #expect(service.download("mxc://example/m1", to: file).test.isFinished)
    #expect(try Data(contentsOf: file) == Data("picture".utf8))
    #expect(service.download("https://example/m1", to: file).test.failure != nil)
  }

  @Test("A search waits for a pause, and a failure does not end it")
  @MainActor
  func search() async throws {
    let search = at(.post, "user_directory/search")
    let stubs = StubTransport(
      StubAPIResponse(
        request: search.jsonBody(containing: #"{"search_term": "al"}"#), statusCode: 403,
        result: refused("M_FORBIDDEN")
      )
      .thenRespondWith(
        request: search.jsonBody(#"{"search_term": "alic"}"#),
        result: .json(#"{"results": [{"user_id": "@alice:example"}], "limited": false}"#)))
    let field = UserSearch(try signedIn(stubs), scheduler: time.scheduler)
    field.term = "a"
    field.term = "al"
    time.advance(by: .milliseconds(300))
    await change(of: field)
    #expect(throws: MatrixFailure.self) { try field.result.get() }
    field.term = "ali"
    time.advance(by: .milliseconds(200))
    field.term = "alic"
    time.advance(by: .milliseconds(300))
    await change(of: field)
    #expect(try field.result.get().map(\.id) == ["@alice:example"])
  }

  /// Waits until the field has another result, as a view does.
  @MainActor
  private func change(of field: UserSearch) async {
    await withCheckedContinuation { continuation in
      withObservationTracking {
        _ = field.result
      } onChange: {
        continuation.resume()
      }
    }
  }
}
