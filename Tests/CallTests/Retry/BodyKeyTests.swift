import Fixtures
import Foundation
import Streams
import StreamsTesting
import Testing

@testable import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("RT-08: a repeated request has the key of its body, before that of its place")
struct BodyKeyTests {
  /// One post of a pipeline, with the wait before it in each attempt.
  private struct Post {
    let waits: [Int]
    let body: @Sendable (_ attempt: Int) -> RequestBody
  }

  private static func bytes(_ text: String) -> RequestBody { .data(Data(text.utf8)) }

  /// The bodies and the keys, in the order of the sendings.
  private func sent(
    _ posts: [Post], _ responses: ScriptedTransport.ServerResponse...
  ) -> [String] {
    let scheduler = TestScheduler()
    let transport = ScriptedTransport(on: scheduler, taking: .milliseconds(10)) { number, _ in
      responses[number - 1]
    }
    let api = TestAPI(transport: transport)
    let made = Counter()
    let publishers = posts.enumerated().map { number, post in
      let attempts = Counter()
      return Deferred {
        attempts.add()
        let attempt = attempts.value
        return Just(attempt).setFailureType(to: (any Error).self)
          .delay(for: .milliseconds(post.waits[attempt - 1]), scheduler: scheduler)
      }
      .flatMap { attempt in
        api.post(endpoint: "a", body: post.body(attempt)) { $0.adding("Name", "\(number)") }
      }
      .eraseToAnyPublisher()
    }
    let call = RetriedCall(scheduler, transport)
    Publishers.MergeMany(publishers).last()
      .retry(
        .test(scheduler) { policy in
          policy.idempotencyKey = {
            made.add()
            return "k\(made.value)"
          }
        }
      )
      .receive(subscriber: call.subscriber)
    scheduler.run()
    #expect(call.status == 201)
    return zip(transport.values(of: "Name"), transport.values(of: "Idempotency-Key"))
      .map { "\($0 ?? "-")\($1 ?? "-")" }
  }

  @Test("Two posts to one path that come in another order keep their keys")
  func swapped() {
    let sent = sent(
      [
        Post(waits: [1, 9]) { _ in Self.bytes("a") }, Post(waits: [5, 2]) { _ in Self.bytes("b") },
      ], .status(201), .status(503), .status(201), .status(201))
    #expect(sent == ["0k1", "1k2", "1k2", "0k1"])
  }

  @Test("A body that changes keeps its key, by its place")
  func changed() {
    let sent = sent(
      [
        Post(waits: [1, 1]) { Self.bytes("at \($0)") },
        Post(waits: [5, 5]) { _ in Self.bytes("b") },
      ], .status(201), .status(503), .status(201), .status(201))
    #expect(sent == ["0k1", "1k2", "0k1", "1k2"])
  }

  @Test("Files are told from each other by path, size and date, and streams by their place")
  func files() throws {
    let folder = try TemporaryFolder()
    let files = try ["a", "b"].map { try folder.file($0, Data("same".utf8)) }
    let sentFiles = sent(
      [
        Post(waits: [1, 9]) { _ in .file(files[0]) }, Post(waits: [5, 2]) { _ in .file(files[1]) },
      ], .status(201), .status(503), .status(201), .status(201))
    #expect(sentFiles == ["0k1", "1k2", "1k2", "0k1"])
    let chunks: @Sendable (Int) -> RequestBody = { _ in
      .chunks(
        Just(Data("a".utf8)).setFailureType(to: (any Error).self), isReplayable: true)
    }
    let sentStreams = sent(
      [Post(waits: [1, 1], body: chunks), Post(waits: [5, 5], body: chunks)],
      .status(201), .status(503), .status(201), .status(201))
    #expect(sentStreams == ["0k1", "1k2", "0k1", "1k2"])
  }

  @Test("A digest knows the bytes, a file's path, size and date, and nothing of a stream")
  func digests() throws {
    let request = URLRequest(url: try #require(URL(string: "https://h.example/a")))
    func digest(_ body: RequestBody?) -> BodyDigest { BodyDigest(of: request, body: body) }
    #expect(digest(nil) == digest(.data(Data())))
    #expect(digest(.data(Data("a".utf8))) == digest(.data(Data("a".utf8))))
    #expect(digest(.data(Data("a".utf8))) != digest(.data(Data("b".utf8))))
    let folder = try TemporaryFolder()
    let file = try folder.file("f", Data("a".utf8))
    let before = digest(.file(file))
    #expect(before == digest(.file(file)))
    try Data("ab".utf8).write(to: file)
    #expect(before != digest(.file(file)))
  }
}
