import Dispatch
import Streams
import StreamsTesting

extension ConformanceMutant {
  /// Operators written from scratch.
  static let stages: [ConformanceMutant] = [
    .stage(.asksForEverything, "asks for everything at once", .upstreamDemand),
    .stage(.asksForEach, "asks for each value again", .upstreamCost),
    .stage(.forwardsEachCancel, "passes each cancel on", .upstreamCancel),
    .stage(.endsWithoutCancel, "ends without a cancel", .earlyEnd),
    .stage(.cancelsAfterEnd, "cancels an upstream that has ended", .silenceAfterEnd),
    .stage(.swallowsFailure, "takes a failure for an end", .failure, .failureAtOnce),
    .stage(.holdsFailureBack, "holds a failure until a request", .failure, .failureAtOnce),
    .stage(.keepsSecondSubscription, "asks a second subscription, too", .secondSubscription),
    .stage(.ignoresTheEnd, "passes on what follows the end", .valueAfterEnd, .secondEnd),
    .stage(
      .dropsSilently, "reports nothing of what it drops", .valueAfterEnd, .secondEnd,
      .secondSubscription, .beforeSubscription),
    .stage(
      .misreports, "reports another violation", .secondSubscription, .valueAfterEnd, .secondEnd,
      .beforeSubscription, .strayAfterCancel),
    .stage(.losesFirstEnd, "ends at the second end", .secondEnd),
    .stage(.deafToCancel, "passes values on after a cancel", .strayAfterCancel),
    .stage(.earlyValues, "passes early values on", .beforeSubscription),
    .stage(.keepsUpstream, "keeps its upstream", .release),
    .stage(.forgetsContext, "has a context of its own", .passedContext),
  ]

  /// Operators that would be correct but for one thing.
  static let operators: [ConformanceMutant] = [
    .operation("sends what its closure has cancelled", .finalCancel) { upstream, rig in
      Tampered(
        upstream,
        Tampering(
          value: { line, value in
            rig.touch()
            return line.send(value)
          },
          cancel: { $0.leave() }))
    },
    .operation("passes a request on after the end", .silenceAfterEnd) { upstream, _ in
      Tampered(
        upstream,
        Tampering(
          end: { line, end in
            line.tally("end")
            line.end(end)
          },
          request: { line, demand in
            if demand > .none || !line.has("end") { line.ask(demand) }
          },
          cancel: { line in
            if !line.has("end") { line.leave() }
            line.forget()
          }))
    },
    .operation("ends after a cancel that came while it cancelled", .finalCancel) { upstream, _ in
      Tampered(
        upstream,
        Tampering(
          value: { line, value in
            let more = line.send(value)
            guard line.tally("value") == 3 else { return more }
            line.leave()
            line.end(.finished)
            return .none
          },
          cancel: { $0.leave() }))
    },
    .above(
      "asks its upstream for none", .noneIsNothing,
      by: Tampering(subscription: { line in
        line.ask(.none)
        line.start()
      })),
    .above(
      "asks for one whatever is requested", .upstreamDemand,
      by: Tampering(request: { line, demand in if demand > .none { line.ask(.max(1)) } })),
    .above(
      "passes each request on twice", .upstreamDemand,
      by: Tampering(request: { line, demand in
        line.ask(demand)
        line.ask(demand)
      })),
    .above(
      "asks for more after each tenth value", .upstreamCost,
      by: Tampering(value: { line, value in
        if line.tally("value").isMultiple(of: 10) { line.ask(.max(10)) }
        return line.send(value)
      })),
    .above(
      "asks for everything again at the first value", .upstreamCost,
      by: Tampering(value: { line, value in
        if line.tally("value") == 1 { line.ask(.unlimited) }
        return line.send(value)
      })),
    .above(
      "never cancels its upstream", .upstreamCancel, by: Tampering(cancel: { _ in })),
    .above(
      "cancels its upstream twice", .upstreamCancel,
      by: Tampering(cancel: { line in
        line.leave()
        line.leave()
      })),
    .operation("ends with two cancels", .earlyEnd) { upstream, _ in
      Tampered(
        upstream,
        Tampering(cancel: { line in
          line.leave()
          line.leave()
        })
      ).prefix(2)
    },
    .operation("cancels only when another value comes", .earlyEnd) { upstream, _ in
      Tampered(
        upstream,
        Tampering(
          value: { line, value in
            if line.has("cancel") { line.leave() }
            return line.send(value)
          }, cancel: { $0.tally("cancel") })
      ).prefix(2)
    },
    .above(
      "asks for one more from inside the end", .silenceAfterEnd,
      by: Tampering(end: { line, end in
        line.ask(.max(1))
        line.end(end)
      })),
    .above(
      "cancels from inside the end", .silenceAfterEnd,
      by: Tampering(end: { line, end in
        line.leave()
        line.end(end)
      })),
    .above(
      "says nothing of a failure", .failure, .failureAtOnce,
      by: Tampering(end: { line, end in if case .finished = end { line.end(end) } })),
    .operation("hands signals on by closures, without a context", .passedContext) { upstream, _ in
      ByClosures(upstream: upstream)
    },
    .above(
      "has a context with only a key of its own", .passedContext,
      by: Tampering(context: { _ in SubscriptionContext().setting(MutantKey.self, to: 1) })),
    .operation(
      "declares a demand of its own and passes everything on", .excess,
      traits: ConformanceTraits(demand: .own)
    ) { upstream, _ in upstream.broken(.none) },
    .operation(
      "makes two values of an excess one", .excess, traits: ConformanceTraits(demand: .own)
    ) { upstream, _ in
      Tampered(
        upstream,
        Tampering(value: { line, value in
          _ = line.isAsked ? line.send(value) : line.send(value) + line.send(value)
          return .none
        }))
    },
    .operation(
      "sends the last excess value at the end", .excess, traits: ConformanceTraits(demand: .own)
    ) { upstream, _ in
      Tampered(
        upstream,
        Tampering(
          value: { line, value in line.isAsked ? line.send(value) : .none },
          end: { line, end in
            _ = line.send(0)
            line.end(end)
          }))
    },
    .operation("passes the end on after a cancel", .strayAfterCancel) { upstream, _ in
      Tampered(
        upstream,
        Tampering(
          value: { line, value in line.has("cancel") ? .none : line.send(value) },
          cancel: { line in
            line.tally("cancel")
            line.leave()
          }))
    },
    .operation(
      "shares its upstream with its first subscriber alone", .oneConnection,
      traits: ConformanceTraits(isShared: true)
    ) { upstream, _ in OnlyOnce(upstream: upstream) },
    .operation(
      "has an upstream for each subscriber", .oneConnection,
      traits: ConformanceTraits(isShared: true)
    ) { upstream, _ in upstream.broken(.none) },
    .operation(
      "keeps the shared upstream when the last one leaves", .oneConnection,
      traits: ConformanceTraits(isShared: true)
    ) { upstream, _ in Tampered(upstream, Tampering(cancel: { _ in })).share() },
    .operation("subscribes to its upstream when it is made", .laziness) { upstream, _ in
      upstream.subscribe(TestSubscriber(demand: .none))
      return upstream.broken(.none)
    },
  ]
}

private enum MutantKey: SubscriptionContextKey {
  static var defaultValue: Int { 0 }
}

/// Passes signals on by the closures of another subscriber.
private struct ByClosures<Upstream: Publisher>: Publisher {
  typealias Output = Upstream.Output
  typealias Failure = Upstream.Failure

  let upstream: Upstream

  func receive<Downstream: Subscriber>(subscriber: Downstream)
  where Downstream.Input == Output, Downstream.Failure == Failure {
    upstream.receive(
      subscriber: AnySubscriber<Output, Failure>(
        receiveSubscription: { subscriber.receive(subscription: $0) },
        receiveValue: { subscriber.receive($0) },
        receiveCompletion: { subscriber.receive(completion: $0) }))
  }
}

/// Passes its upstream on to its first subscriber; the others hear nothing.
final class OnlyOnce<Upstream: Publisher>: Publisher {
  typealias Output = Upstream.Output
  typealias Failure = Upstream.Failure

  private let upstream: Upstream
  private let isTaken = Lock(false)

  init(upstream: Upstream) {
    self.upstream = upstream
  }

  func receive<Downstream: Subscriber>(subscriber: Downstream)
  where Downstream.Input == Output, Downstream.Failure == Failure {
    let isFirst = isTaken.withLock { isTaken in
      defer { isTaken = true }
      return !isTaken
    }
    if isFirst {
      upstream.receive(subscriber: subscriber)
    } else {
      subscriber.receive(subscription: Subscriptions.empty)
    }
  }
}
