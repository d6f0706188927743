import Streams
import StreamsTesting

extension ConformanceMutant {
  /// Publishers written from scratch.
  static let sources: [ConformanceMutant] = [
    .source(.silent, "never sends anything", .progress),
    .source(.startsWithValue, "starts with a value", .subscriptionFirst),
    .source(.noSubscription, "ends without a subscription", .subscriptionFirst),
    .source(.secondSubscription, "sends its subscription twice", .oneSubscription),
    .source(.valueAfterEnd, "sends a value after its end", .nothingAfterEnd),
    .source(.secondEnd, "ends twice", .nothingAfterEnd),
    .source(.ignoresDemand, "sends all for any request", .demand),
    .source(.forgetsEarlierDemand, "takes the larger of two requests", .demandAddsUp),
    .source(.ignoresReturnedDemand, "ignores returned demand", .demandAddsUp),
    .source(.losesDemandWhileServing, "loses requests while it sends", .demandAddsUp),
    .source(.overflows, "takes a sum that saturates for one", .demandSaturates),
    .source(.servesNone, "serves a request for none", .noneIsNothing),
    .source(.holdsEndBack, "ends an empty stream on request", count: 0, .endNeedsNoDemand),
    .source(.holdsEndBack, "ends only while demand is left", .promptEnd),
    .source(
      .deliversAfterCancel, "does not look for a cancel while it sends", .finalCancel,
      .cancelElsewhere),
    .source(.finishesAfterCancel, "ends after a cancel", .finalCancel),
    .source(.servesAfterEnd, "serves requests after its end", .repeatedCalls),
    .source(.recursion, "serves each request from inside the last", .constantStack),
    .source(.nestedSignals, "serves a request from inside a value", .serial),
    .source(
      .locksWhileDelivering, "lets a cancel wait for a delivery", patience: .milliseconds(200),
      .noLockHeld),
    .source(
      .locksOthersOut, "holds a recursive lock while it sends", patience: .seconds(1), .noLockHeld),
    .source(.keepsSubscriber, "keeps its subscriber", .release),
    .source(.keepsWork, "keeps its closure", .release),
    .source(.sharesPosition, "lets subscribers take values from each other", .independence),
  ]

  /// Publishers that would be correct but for one thing.
  static let publishers: [ConformanceMutant] = [
    .values(
      "ends from inside a request within a value", .serial,
      by: Tampering(request: { line, demand in
        line.ask(demand)
        if line.isInside { line.end(.finished) }
      })),
    .values(
      "sends its end and then its subscription", .subscriptionFirst,
      by: Tampering(subscription: { line in
        line.end(.finished, isForgotten: false)
        line.start()
      })),
    .values(
      "sends its subscription again for the first request", .oneSubscription,
      by: Tampering(request: { line, demand in
        if line.tally("request") == 1 { line.start() }
        line.ask(demand)
      })),
    .values(
      "sends its end only for one more request", .progress,
      by: Tampering(
        end: { $0.hold($1) },
        request: { line, demand in
          line.endIfHeld()
          line.ask(demand)
        })),
    .values(
      "sends each value twice", .demand,
      by: Tampering(value: { line, value in
        _ = line.send(value)
        return line.send(value)
      })),
    .publisher("holds the end of an empty stream until a request", .endNeedsNoDemand) { _ in
      Tampered(
        Empty<Int, Never>(),
        Tampering(
          end: { line, end in if line.isAsked { line.end(end) } else { line.hold(end) } },
          request: { line, demand in
            line.ask(demand)
            line.endIfHeld()
          }))
    },
    .publisher("knows its end only from another value", .promptEnd) { rig in
      Tampered(
        (1...rig.count + 1).publisher,
        Tampering(value: { line, value in
          guard value > rig.count else { return line.send(value) }
          line.leave()
          line.end(.finished)
          return .none
        }))
    },
    .values(
      "holds its end while nothing is requested", .promptEnd,
      by: Tampering(
        end: { line, end in if line.isAsked { line.end(end) } else { line.hold(end) } },
        request: { line, demand in
          line.ask(demand)
          line.endIfHeld()
        })),
    .values(
      "loses each second request from inside a value", .demandAddsUp,
      by: Tampering(request: { line, demand in
        if !line.isInside || !line.tally("inside").isMultiple(of: 2) { line.ask(demand) }
      })),
    .values(
      "forgets a cancel that comes during a value", .cancelElsewhere, .finalCancel,
      by: Tampering(cancel: { line in if !line.isInside { line.leave() } })),
    .values(
      "ends instead of the value after a cancel", .cancelElsewhere, .finalCancel,
      by: Tampering(
        value: { line, value in
          let more = line.send(value)
          guard line.has("cancel") else { return more }
          line.end(.finished)
          return .none
        },
        cancel: { line in
          line.tally("cancel")
          line.leave()
        })),
    .values(
      "ignores its cancel", .repeatedCalls, .finalCancel, by: Tampering(cancel: { _ in })),
    .values(
      "sends a value for a second cancel", .repeatedCalls,
      by: Tampering(cancel: { line in
        line.leave()
        if line.tally("cancel") > 1 { _ = line.send(0) }
      })),
    .values(
      "ends again for a cancel within its end", .serial, .nothingAfterEnd,
      by: Tampering(
        end: { line, end in
          line.tally("ending")
          line.end(end, isForgotten: false)
          line.tally("ended")
          line.forget()
        },
        cancel: { line in
          if line.has("ending"), !line.has("ended") { line.end(.finished) }
          line.leave()
          line.forget()
        })),
    .values(
      "sends a value for a request within its end", .nothingAfterEnd,
      by: Tampering(
        end: { line, end in
          line.tally("ending")
          line.end(end, isForgotten: false)
          line.tally("ended")
          line.forget()
        },
        request: { line, demand in
          if line.has("ending"), !line.has("ended") { _ = line.send(0) }
          line.ask(demand)
        })),
    .values(
      "keeps its subscriber after its end", .release,
      by: Tampering(end: { $0.end($1, isForgotten: false) })),
    .publisher("sends a later value that its closure has cancelled", .finalCancel) { rig in
      Tampered(
        rig.values.publisher,
        Tampering(
          value: { line, value in
            rig.touch()
            return value == 1 && line.has("cancel") ? .none : line.send(value)
          },
          cancel: { line in
            line.tally("cancel")
            line.leave()
          }))
    },
    .publisher("ignores demand that is returned on a scheduler", .demandAddsUp) { rig in
      Tampered(
        rig.values.publisher.receive(on: rig.scheduler),
        Tampering(value: { line, value in
          _ = line.send(value)
          return .none
        }))
    },
    .publisher("lets only its first subscriber in", .independence) {
      OnlyOnce(upstream: $0.values.publisher)
    },
    .publisher("calls itself for returned demand", .constantStack) { Spiral(count: $0.count) },
    .publisher("works when it is made", .laziness) { rig in
      rig.touch()
      return rig.values.publisher
    },
    .publisher("works for its first subscriber alone", .laziness) { rig in
      let hasRun = Lock(false)
      return Deferred {
        let isFirst = hasRun.withLock { hasRun in
          defer { hasRun = true }
          return !hasRun
        }
        if isFirst { rig.touch() }
        return rig.values.publisher
      }
    },
  ]
}

/// Serves all demand but the first value's by calls of itself.
private struct Spiral: Publisher {
  typealias Output = Int
  typealias Failure = Never

  let count: Int

  func receive<Downstream: Subscriber>(subscriber: Downstream)
  where Downstream.Input == Int, Downstream.Failure == Never {
    subscriber.receive(subscription: SpiralLine(AnySubscriber(subscriber), count: count))
  }
}

private final class SpiralLine: Subscription {
  private struct State: Sendable {
    var downstream: AnySubscriber<Int, Never>?
    var value = 0
  }

  private let count: Int
  private let state: Lock<State>

  init(_ downstream: AnySubscriber<Int, Never>, count: Int) {
    self.count = count
    state = Lock(State(downstream: downstream))
  }

  func request(_ demand: Subscribers.Demand) {
    guard demand > .none else { return }
    let (downstream, value) = state.withLock { state in
      state.value += 1
      return (state.value > count ? state.downstream.take() : state.downstream, state.value)
    }
    guard value <= count else { return downstream?.receive(completion: .finished) ?? () }
    guard let downstream else { return }
    request(downstream.receive(value) + (demand - 1))
  }

  func cancel() {
    let released = state.withLock { $0.downstream.take() }
    withExtendedLifetime(released) {}
  }
}
