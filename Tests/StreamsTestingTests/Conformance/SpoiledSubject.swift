import Foundation
import Streams
import StreamsTesting

/// A subject that keeps the contract but for one thing.
final class SpoiledSubject: Subject {
  typealias Output = Int
  typealias Failure = ConformanceError

  enum Fault: Sendable {
    case losesEnd, losesSubscription, overflows, cancelsAll, locksOthersOut
  }

  private let fault: Fault
  private let subject = PassthroughSubject<Int, ConformanceError>()
  private let connections = Lock<[any Subscription]>([])
  /// Its own thread may take it again, so nothing that happens on one thread shows it.
  private let lock = NSRecursiveLock()

  init(_ fault: Fault) {
    self.fault = fault
  }

  func receive<Downstream: Subscriber>(subscriber: Downstream)
  where Downstream.Input == Int, Downstream.Failure == ConformanceError {
    guarded {
      subject.receive(
        subscriber: AnySubscriber<Int, ConformanceError>(
          receiveSubscription: { [self] connection in
            connections.withLock { $0.append(connection) }
            if fault == .losesSubscription { return }
            subscriber.receive(
              subscription: SpoiledConnection(subject: self, connection: connection))
          },
          receiveValue: { subscriber.receive($0) },
          receiveCompletion: { subscriber.receive(completion: $0) }))
    }
  }

  func send(_ value: Int) {
    guarded { subject.send(value) }
  }

  func send(completion: Subscribers.Completion<ConformanceError>) {
    if fault != .losesEnd { guarded { subject.send(completion: completion) } }
  }

  func send(subscription: any Subscription) {
    subject.send(subscription: subscription)
  }

  fileprivate func request(_ demand: Subscribers.Demand, of connection: any Subscription) {
    // As a sum that runs over and is below zero then.
    if fault == .overflows, demand > .max(.max / 2), demand != .unlimited { return }
    guarded { connection.request(demand) }
  }

  fileprivate func cancel(_ connection: any Subscription) {
    let all = fault == .cancelsAll ? connections.withLock { $0 } : [connection]
    guarded { for connection in all { connection.cancel() } }
  }

  private func guarded(_ work: () -> Void) {
    if fault == .locksOthersOut { lock.withLock(work) } else { work() }
  }
}

/// The subscription of a subscriber of a spoiled subject.
private final class SpoiledConnection: Subscription {
  private let subject: SpoiledSubject
  private let connection: any Subscription

  init(subject: SpoiledSubject, connection: any Subscription) {
    self.subject = subject
    self.connection = connection
  }

  func request(_ demand: Subscribers.Demand) { subject.request(demand, of: connection) }
  func cancel() { subject.cancel(connection) }
}
