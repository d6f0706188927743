import Dispatch
import Streams
import StreamsTesting

extension ConformanceMutant {
  /// Operators that deliver on a scheduler.
  static let hops: [ConformanceMutant] = [
    .hop("has a job for each signal", .hopOrder, .hopDemand, .hopCancel) {
      NaiveHop(upstream: $0, scheduler: $1)
    },
    .hop("delivers at once", .hopOrder) { upstream, _ in upstream.map { $0 } },
    .hop("loses the end", .hopOrder) { NaiveHop(upstream: $0, scheduler: $1, fault: .losesEnd) },
    .hop("asks for everything", .hopDemand) {
      NaiveHop(upstream: $0, scheduler: $1, fault: .asksForAll)
    },
    .hop("asks for one at a time", .hopDemand) { upstream, scheduler in
      Tampered(upstream, Tampering(request: { line, _ in line.ask(.max(1)) }))
        .receive(on: scheduler)
    },
    .hop("delivers what is under way at a cancel", .hopCancel) {
      Tampered($0.receive(on: $1), Tampering(cancel: { _ in }))
    },
    .hop("delivers the end after a cancel", .hopCancel) {
      Tampered(
        $0.receive(on: $1),
        Tampering(
          value: { line, value in line.has("cancel") ? .none : line.send(value) },
          cancel: { $0.tally("cancel") }))
    },
  ]

  static let subjects: [ConformanceMutant] = [
    .subject(
      "a subject that calls each subscriber on each sender's thread", .serial, .nothingAfterEnd,
      .demand, .finalCancel, .constantStack, .release, .upstreamDemand, .oneOrder
    ) { NaiveSubject() },
    .subject("a subject without a subscription", .oneSubscription) {
      SpoiledSubject(.losesSubscription)
    },
    .subject("a subject that loses its end", .progress) { SpoiledSubject(.losesEnd) },
    .subject("a subject whose sum of demand runs over", .demandSaturates) {
      SpoiledSubject(.overflows)
    },
    .subject("a subject that counts demand in one bit", .demandSaturates) {
      TamperedSubject(
        tampering: Tampering(request: { line, demand in
          line.ask(demand.max.map { .max($0 & 1) } ?? .unlimited)
        }))
    },
    .subject("a subject that takes a request for none for one", .noneIsNothing) {
      TamperedSubject(
        tampering: Tampering(request: { $0.ask($1 == .none ? .max(1) : $1) }))
    },
    .subject("a subject that ends at a request", .endNeedsNoDemand) {
      TamperedSubject(
        tampering: Tampering(
          end: { line, end in if line.isAsked { line.end(end) } else { line.hold(end) } },
          request: { line, demand in
            line.ask(demand)
            line.endIfHeld()
          }))
    },
    .subject("a subject whose subscribers all leave with one", .independence) {
      SpoiledSubject(.cancelsAll)
    },
    .subject(
      "a subject that sends under a lock", .noLockHeld, patience: .milliseconds(200)
    ) { NaiveSubject(isLocked: true) },
    .subject("a subject with a queue for each subscriber", .oneOrder) {
      ListSubject(.queues)
    },
    .subject("a subject that hides nested values from all but the first", .oneOrder) {
      ListSubject(.hidesNested)
    },
  ]
}

/// Sends to a list of subscribers, each of which is served correctly.
private final class ListSubject: Subject {
  typealias Output = Int
  typealias Failure = ConformanceError

  enum Fault {
    case queues, hidesNested
  }

  private let fault: Fault
  private let subjects = Lock<[PassthroughSubject<Int, ConformanceError>]>([])
  private let depth = Lock(0)

  init(_ fault: Fault) {
    self.fault = fault
  }

  func receive<Downstream: Subscriber>(subscriber: Downstream)
  where Downstream.Input == Int, Downstream.Failure == ConformanceError {
    let subject = PassthroughSubject<Int, ConformanceError>()
    subjects.withLock { $0.append(subject) }
    subject.receive(subscriber: subscriber)
  }

  func send(_ value: Int) {
    let isNested = depth.withLock { depth in
      depth += 1
      return depth > 1
    }
    let all = subjects.withLock { $0 }
    for subject in isNested && fault == .hidesNested ? Array(all.prefix(1)) : all {
      subject.send(value)
    }
    depth.withLock { $0 -= 1 }
  }

  func send(completion: Subscribers.Completion<ConformanceError>) {
    for subject in subjects.withLock({ $0 }) { subject.send(completion: completion) }
  }

  func send(subscription: any Subscription) { subscription.request(.unlimited) }
}
