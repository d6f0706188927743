import Dispatch
import Foundation
import RESTKit
import Streams
import StreamsTesting
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension TransportTrial {
  /// Blocks the subscriber of a whole response, and then also that of a response in pieces.
  func blocking() async throws {
    let server = try serve(nil) { .text($0.path) }
    defer { server.stop() }
    let transport = try transport()
    let door = TransportDoor(patience: patience)
    defer { door.open() }

    let whole = TestSubscriber<RESTResponse, any Error> { _, _ in
      door.pass()
      return .none
    }
    block(whole, of: transport.response(for: try request(server, "/whole")), at: door)
    for await _ in door.arrivals { break }
    try expect(
      !whole.values.isEmpty, "a response", seen: whole.failure.map { "\($0)" } ?? "nothing")
    try await expectResponses(of: server, over: transport, besides: door)

    let pieces = TestSubscriber<TransferEvent, any Error> { _, _ in
      door.pass()
      return .none
    }
    block(pieces, of: transport.events(for: try request(server, "/pieces")), at: door)
    for await _ in door.arrivals { break }
    try expect(
      !pieces.values.isEmpty, "a piece", seen: pieces.failure.map { "\($0)" } ?? "nothing")
    try await expectResponses(of: server, over: transport, besides: door)

    door.open()
    for await _ in door.ends.prefix(2) {}
    try expect(
      whole.isFinished && pieces.isFinished, "an end of both calls once it returned",
      seen: "\(whole.completions) \(pieces.completions)")
  }

  /// Subscribes on a new thread, because the subscriber may block it, too.
  private func block<Output: Sendable>(
    _ subscriber: TestSubscriber<Output, any Error>, of publisher: AnyPublisher<Output, any Error>,
    at door: TransportDoor
  ) {
    let noting = EndNotingSubscriber(subscriber) { door.noteEnd() }
    Thread.detachNewThread { publisher.receive(subscriber: noting) }
  }

  private func expectResponses(
    of server: any TrialServer, over transport: any Transport, besides door: TransportDoor
  ) async throws {
    for number in 0..<3 {
      let request = try request(server, "/\(number)")
      let data = try await response(to: request, over: transport).data
      try expect(data == Data("/\(number)".utf8), "a response of its own", seen: Self.text(data))
      let pieces = await TransportPieces(transport.events(for: request))
      try expect(
        pieces.data == Data("/\(number)".utf8), "a response of its own in pieces",
        seen: pieces.failure.map { "\($0)" } ?? Self.text(pieces.data))
    }
    try expect(
      !door.wasForced, "answers while another call's subscriber blocks",
      seen: "none until that subscriber returned, after \(patience)")
  }
}

/// A subscriber that records the end of another one.
private struct EndNotingSubscriber<Output: Sendable>: Subscriber {
  private let subscriber: TestSubscriber<Output, any Error>
  private let note: @Sendable () -> Void

  init(_ subscriber: TestSubscriber<Output, any Error>, _ note: @escaping @Sendable () -> Void) {
    self.subscriber = subscriber
    self.note = note
  }

  func receive(subscription: any Subscription) { subscriber.receive(subscription: subscription) }

  func receive(_ value: Output) -> Subscribers.Demand { subscriber.receive(value) }

  func receive(completion: Subscribers.Completion<any Error>) {
    subscriber.receive(completion: completion)
    note()
  }
}

/// A door that blocks its subscribers until it is opened or its patience is over.
///
/// The patience is needed because a transport may deliver on a thread that the trial needs to open
/// the door.
private final class TransportDoor: Sendable {
  /// Sends a value for each subscriber that arrives, and for each call that ends.
  let arrivals: AsyncStream<Void>
  /// Sends a value for each call that ends.
  let ends: AsyncStream<Void>

  private let arrival: AsyncStream<Void>.Continuation
  private let end: AsyncStream<Void>.Continuation
  private let semaphore = DispatchSemaphore(value: 0)
  private let hasGivenUp = Atomic(false)
  private let seconds: Int

  /// - Parameter patience: The time for which it blocks, in whole seconds plus one.
  init(patience: Duration) {
    (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
    (ends, end) = AsyncStream.makeStream(of: Void.self)
    seconds = Int(clamping: min(max(patience, .zero), .seconds(86_400)).components.seconds) + 1
  }

  /// Whether a subscriber passed before the door was opened.
  var wasForced: Bool { hasGivenUp.load(ordering: .acquiring) }

  /// Blocks a subscriber.
  func pass() {
    arrival.yield()
    if semaphore.wait(timeout: .now() + .seconds(seconds)) == .timedOut {
      hasGivenUp.store(true, ordering: .releasing)
    }
    // Later subscribers pass, too.
    semaphore.signal()
  }

  /// Records the end of a call; it may come without a value before it.
  func noteEnd() {
    arrival.yield()
    end.yield()
  }

  /// Opens the door for all subscribers.
  func open() { semaphore.signal() }
}
