import Fixtures
import Foundation
import Streams
import StreamsTesting
import Testing

@testable import RESTKit

@Suite("The status of an exchange in pieces", .leakFree)
struct EventStatusTests {
  private func head(_ status: Int, type: String = "text/plain") throws -> TransferEvent {
    .head(
      ResponseHead(
        url: try #require(URL(string: "https://h.example/")), statusCode: status,
        headers: ["Content-Type": type]))
  }

  @Test("An exchange with an accepted status passes unchanged")
  func accepted() throws {
    let events = [try head(201), .chunk(Data("a".utf8)), .chunk(Data("b".utf8))]
    let outcome = events.publisher.validateStatus().outcome()
    #expect(outcome.values.map { "\($0)" } == events.map { "\($0)" })
    #expect(outcome.hasFinished)
  }

  @Test("An exchange with another status fails with the body and the problem, and nothing passes")
  func refused() throws {
    let events = [
      try head(503, type: "application/problem+json"), .chunk(Data(#"{"title":"#.utf8)),
      .chunk(Data(#""Busy"}"#.utf8)),
    ]
    let outcome = events.publisher.validateStatus().outcome()
    #expect(outcome.values.isEmpty)
    let error = try #require(outcome.failure as? RESTError)
    #expect(error.kind == .status(503))
    #expect(error.response?.statusCode == 503)
    #expect(error.body == Data(#"{"title":"Busy"}"#.utf8))
    #expect(error.problem?.title == "Busy")
    #expect("\(error)".hasPrefix("the server answered 503 Service Unavailable."))
  }

  @Test("A body longer than an error keeps ends the exchange")
  func longBody() throws {
    let source = TestPublisher<TransferEvent, any Error>()
    let subscriber = TestSubscriber<TransferEvent, any Error>()
    source.validateStatus().subscribe(subscriber)
    source.send(try head(500))
    source.send(.chunk(Data(repeating: 0x61, count: RESTError.maximumBodyLength)))
    #expect(subscriber.failure == nil)
    source.send(.chunk(Data("b".utf8)))
    #expect((subscriber.failure as? RESTError)?.kind == .status(500))
    #expect((subscriber.failure as? RESTError)?.body?.count == RESTError.maximumBodyLength)
    #expect(source.cancelCount == 1)
  }

  /// A response that is refused, with the time of the test's.
  private struct Refused: RefusedResponse {
    private var head: ResponseHead?
    private var body = Data()
    mutating func take(_ head: ResponseHead) { self.head = head }
    mutating func take(_ chunk: Data) { body += chunk }
    var failure: RESTError? {
      head.map {
        RESTError(
          .status($0.statusCode), reason: "", remedy: "", request: nil, head: $0, body: body)
      }
    }
  }

  @Test("A refused body that comes in single bytes ends ten seconds after its head")
  func drip() throws {
    let source = TestPublisher<TransferEvent, any Error>()
    let subscriber = TestSubscriber<TransferEvent, any Error>()
    let clock = Lock(ContinuousClock.now)
    source.through(
      RefusedResponseTail(Refused(), now: { clock.withLock { $0 } }) { $0.statusCode != 200 }
    )
    .subscribe(subscriber)
    source.send(try head(503))
    for _ in 0..<99 {
      clock.withLock { $0 += .milliseconds(100) }
      source.send(.chunk(Data("b".utf8)))
    }
    clock.withLock { $0 += .nanoseconds(99_999_999) }
    source.send(.chunk(Data("b".utf8)))
    #expect(subscriber.failure == nil)
    clock.withLock { $0 += .nanoseconds(1) }
    source.send(.chunk(Data("c".utf8)))
    let error = try #require(subscriber.failure as? RESTError)
    #expect(error.kind == .status(503))
    #expect(error.body == Data(repeating: UInt8(ascii: "b"), count: 100) + Data("c".utf8))
    #expect(source.cancelCount == 1)
  }

  @Test("An accepted body may take any time")
  func slow() throws {
    let source = TestPublisher<TransferEvent, any Error>()
    let subscriber = TestSubscriber<TransferEvent, any Error>()
    let clock = Lock(ContinuousClock.now)
    source.through(
      RefusedResponseTail(Refused(), now: { clock.withLock { $0 } }) { $0.statusCode != 200 }
    )
    .subscribe(subscriber)
    source.send(try head(200))
    clock.withLock { $0 += .seconds(3_600) }
    source.send(.chunk(Data("b".utf8)))
    #expect(subscriber.values.count == 2)
    #expect(subscriber.failure == nil)
  }

  @Test("A failure that is not of the network passes, also behind a refused head")
  func failure() throws {
    let events = [try head(500)].publisher.setFailureType(to: Cut.self).append(Fail(error: Cut()))
    #expect(events.validateStatus().outcome().failure is Cut)
  }

  @Test("A refused response that is cut keeps its status, its head, and the part that came")
  func cut() throws {
    let fault = TransportError(kind: .connectionReset, mayHaveBeenProcessed: true)
    let reset = RESTError(
      .transport(fault.kind), reason: fault.reason, remedy: fault.remedy, request: nil,
      underlyingError: fault)
    let events = [try head(503), .chunk(Data("Bu".utf8))].publisher
      .setFailureType(to: RESTError.self).append(Fail(error: reset))
    let error = try #require(events.validateStatus().outcome().failure as? RESTError)
    #expect(error.kind == .status(503))
    #expect(error.response?.statusCode == 503)
    #expect(error.body == Data("Bu".utf8))
  }

  @Test("decodeLines and serverSentEvents refuse the status by themselves")
  func operators() throws {
    let events = [try head(404), .chunk(Data("data: 1\n\n".utf8))].publisher
    #expect(
      (events.decodeLines(of: Int.self).outcome().failure as? RESTError)?.kind == .status(404))
    #expect((events.serverSentEvents().outcome().failure as? RESTError)?.kind == .status(404))
    let accepted = [try head(200), .chunk(Data("1\n".utf8))].publisher
    #expect(accepted.decodeLines(of: Int.self).outcome().values == [1])
  }
}
