/// The provocations by which the kit finds each mutant, with the rules that they find broken.
///
/// Those of several threads are left out, since they find a fault by chance.
enum ConformanceFindings {
  /// Returns the provocations and rules of a mutant, as `provocation: rule`.
  static func of(_ mutant: ConformanceMutant) -> Set<String> {
    var (name, found) = (Substring(), Set<String>())
    for line in table.split(separator: "\n") {
      guard line.hasPrefix("  "), let colon = line.lastIndex(of: ":") else {
        name = line
        continue
      }
      let rules = line[colon...].dropFirst().split(separator: " ")
      if name == mutant.name {
        found.formUnion(rules.map { "\(line[..<colon].dropFirst(2)): \($0)" })
      }
    }
    return found
  }

  private static let table = """
    ends again for a cancel within its end
      the subscriber cancels from inside the end: serial nothingAfterEnd
    sends a later value that its closure has cancelled
      a closure of the publisher cancels: finalCancel
    sends a value for a request within its end
      the subscriber cancels from inside the end: nothingAfterEnd
    ends after a cancel that came while it cancelled
      the upstream cancels when it is cancelled: finalCancel
    ignores demand that is returned on a scheduler
      receive(_:) returns a demand: demandAddsUp
    sends what its closure has cancelled
      a closure cancels while it works on the upstream's signal: finalCancel
    passes a request on after the end
      request and cancel are called after the upstream's end: silenceAfterEnd
    keeps its subscriber after its end
      only the subscription is kept: release
    a subject that calls each subscriber on each sender's thread
      each value sends the next: constantStack
      1, 1 and 2 values are requested, and more are sent: demand
      every callback sends, subscribes and cancels: demand finalCancel nothingAfterEnd serial
      a subscriber cancels from inside a value: finalCancel nothingAfterEnd
      values and an end are sent: nothingAfterEnd
      the first of three subscribers sends from inside a value: oneOrder serial
      only the subscription is kept: release
      another thread cancels, requests, subscribes and sends during a value: serial
      it receives a subscription: upstreamDemand
    a subject that counts demand in one bit
      1, 1 and 2 values are requested, and more are sent: demandSaturates
    a subject that ends at a request
      a subscriber comes after the end: endNeedsNoDemand
      it ends, and no more is requested: endNeedsNoDemand
    a subject that hides nested values from all but the first
      the first of three subscribers sends from inside a value: oneOrder
    a subject that loses its end
      values and an end are sent: progress
    a subject that sends under a lock
      the first of three subscribers sends from inside a value: noLockHeld
    a subject that takes a request for none for one
      1, 1 and 2 values are requested, and more are sent: noneIsNothing
    a subject whose subscribers all leave with one
      a subscriber cancels from inside a value: independence
    a subject whose sum of demand runs over
      1, 1 and 2 values are requested, and more are sent: demandSaturates
    a subject with a queue for each subscriber
      the first of three subscribers sends from inside a value: oneOrder
    a subject without a subscription
      values and an end are sent: oneSubscription
    asks a second subscription, too
      the upstream sends a second subscription: secondSubscription
    asks for each value again
      a hundred values pass: upstreamCost
    asks for everything
      three values are requested, and three are on their way: hopDemand
    asks for everything again at the first value
      a hundred values pass: upstreamCost
    asks for everything at once
      the downstream requests 2, then 3, then everything: upstreamDemand
    asks for more after each tenth value
      a hundred values pass: upstreamCost
    asks for one at a time
      three values are requested, and three are on their way: hopDemand
    asks for one more from inside the end
      request and cancel are called after the upstream's end: silenceAfterEnd
    asks for one whatever is requested
      the downstream requests 2, then 3, then everything: upstreamDemand
    asks its upstream for none
      the downstream requests none: noneIsNothing
    calls itself for returned demand
      very many values: constantStack
    cancels an upstream that has ended
      request and cancel are called after the upstream's end: silenceAfterEnd
    cancels from inside the end
      request and cancel are called after the upstream's end: silenceAfterEnd
    cancels its upstream twice
      the downstream cancels three times: upstreamCancel
    cancels only when another value comes
      the upstream never ends: earlyEnd
    declares a demand of its own and passes everything on
      the upstream sends more than requested: excess
    delivers at once
      ten values and the end, on a scheduler that runs the last job first: hopOrder
    delivers the end after a cancel
      the downstream cancels while values are on their way: hopCancel
    delivers what is under way at a cancel
      the downstream cancels while values are on their way: hopCancel
    does not look for a cancel while it sends
      another thread cancels during a value: cancelElsewhere
      the subscriber cancels from inside a value: finalCancel
      the subscriber cancels when it gets its subscription: finalCancel
    ends after a cancel
      the subscriber cancels from inside a value: finalCancel
    ends an empty stream on request
      nothing is requested: endNeedsNoDemand
    ends at the second end
      the upstream ends twice: secondEnd
    ends from inside a request within a value
      another thread requests and subscribes during a value: serial
      every callback requests, subscribes and cancels: serial
      more is requested than can be counted: serial
      receive(_:) requests one more: serial
    ends instead of the value after a cancel
      another thread cancels during a value: cancelElsewhere
      the subscriber cancels from inside a value: finalCancel
    ends only while demand is left
      all values are requested, and not one more: promptEnd
    ends twice
      1, 1, 2, none and then the rest are requested: nothingAfterEnd
      a closure of the publisher cancels: nothingAfterEnd
      all values are requested, and not one more: nothingAfterEnd
      everything is requested at once: nothingAfterEnd
      it is subscribed twice: nothingAfterEnd
      more is requested than can be counted: nothingAfterEnd
      only the subscription is kept: nothingAfterEnd
      request and cancel are called after the stream is over: nothingAfterEnd
      the subscriber cancels from inside the end: nothingAfterEnd
      three subscribers request at their own pace: nothingAfterEnd
    ends with two cancels
      the upstream never ends: earlyEnd
    ends without a cancel
      the upstream never ends: earlyEnd
    ends without a subscription
      1, 1, 2, none and then the rest are requested: subscriptionFirst
      a closure of the publisher cancels: subscriptionFirst
      another thread cancels during a value: subscriptionFirst
      another thread requests and subscribes during a value: subscriptionFirst
      every callback requests, subscribes and cancels: subscriptionFirst
      everything is requested at once: subscriptionFirst
      it is subscribed twice: subscriptionFirst
      more is requested than can be counted: subscriptionFirst
      nothing is requested: subscriptionFirst
      only the subscription is kept: subscriptionFirst
      receive(_:) requests one more: subscriptionFirst
      receive(_:) returns a demand: subscriptionFirst
      request and cancel are called after the stream is over: subscriptionFirst
      the subscriber cancels from inside the end: subscriptionFirst
      the subscriber cancels when it gets its subscription: subscriptionFirst
      three subscribers request at their own pace: subscriptionFirst
    forgets a cancel that comes during a value
      another thread cancels during a value: cancelElsewhere
      every callback requests, subscribes and cancels: finalCancel
      the subscriber cancels from inside a value: finalCancel
    hands signals on by closures, without a context
      the downstream has a context: passedContext
    has a context of its own
      the downstream has a context: passedContext
    has a context with only a key of its own
      the downstream has a context: passedContext
    has a job for each signal
      the downstream cancels while values are on their way: hopCancel
      three values are requested, and three are on their way: hopDemand
      ten values and the end, on a scheduler that runs the last job first: hopOrder
    has an upstream for each subscriber
      several subscribers arrive at once: oneConnection
    holds a failure until a request
      the upstream fails: failure
      the upstream fails when it is subscribed: failureAtOnce
    holds a recursive lock while it sends
      another thread cancels during a value: noLockHeld
      another thread requests and subscribes during a value: noLockHeld
    holds its end while nothing is requested
      all values are requested, and not one more: promptEnd
    holds the end of an empty stream until a request
      nothing is requested: endNeedsNoDemand
    ignores its cancel
      every callback requests, subscribes and cancels: finalCancel
      the subscriber cancels from inside a value: finalCancel
      the subscriber cancels when it gets its subscription: finalCancel
      request and cancel are called after the stream is over: repeatedCalls
    ignores returned demand
      receive(_:) returns a demand: demandAddsUp
      very many values: demandAddsUp
    keeps its closure
      only the subscription is kept: release
    keeps its subscriber
      only the subscription is kept: release
    keeps its upstream
      the upstream ends, and only the downstream's subscription is kept: release
    keeps the shared upstream when the last one leaves
      several subscribers arrive at once: oneConnection
    knows its end only from another value
      all values are requested, and not one more: promptEnd
    lets a cancel wait for a delivery
      the subscriber cancels from inside a value: noLockHeld
    lets only its first subscriber in
      three subscribers request at their own pace: independence
    lets subscribers take values from each other
      three subscribers request at their own pace: independence
    loses each second request from inside a value
      receive(_:) requests one more: demandAddsUp
    loses requests while it sends
      another thread requests and subscribes during a value: demandAddsUp
      receive(_:) requests one more: demandAddsUp
      very many values: demandAddsUp
    loses the end
      ten values and the end, on a scheduler that runs the last job first: hopOrder
    makes two values of an excess one
      the upstream sends more than requested: excess
    never cancels its upstream
      the downstream cancels three times: upstreamCancel
    never sends anything
      everything is requested at once: progress
    passes each cancel on
      the downstream cancels three times: upstreamCancel
    passes each request on twice
      the downstream requests 2, then 3, then everything: upstreamDemand
    passes early values on
      the upstream sends a value before its subscription: beforeSubscription
    passes on what follows the end
      the upstream ends twice: secondEnd
      the upstream sends a value after its end: valueAfterEnd
    passes the end on after a cancel
      the upstream continues after a cancel: strayAfterCancel
    passes values on after a cancel
      the upstream continues after a cancel: strayAfterCancel
    reports another violation
      the upstream sends a value before its subscription: beforeSubscription
      the upstream ends twice: secondEnd
      the upstream sends a second subscription: secondSubscription
      the upstream continues after a cancel: strayAfterCancel
      the upstream sends a value after its end: valueAfterEnd
    reports nothing of what it drops
      the upstream sends a value before its subscription: beforeSubscription
      the upstream ends twice: secondEnd
      the upstream sends a second subscription: secondSubscription
      the upstream sends a value after its end: valueAfterEnd
    says nothing of a failure
      the upstream fails: failure
      the upstream fails when it is subscribed: failureAtOnce
    sends a value after its end
      1, 1, 2, none and then the rest are requested: nothingAfterEnd
      a closure of the publisher cancels: nothingAfterEnd
      all values are requested, and not one more: nothingAfterEnd
      everything is requested at once: nothingAfterEnd
      it is subscribed twice: nothingAfterEnd
      more is requested than can be counted: nothingAfterEnd
      only the subscription is kept: nothingAfterEnd
      request and cancel are called after the stream is over: nothingAfterEnd
      the subscriber cancels from inside a value: nothingAfterEnd
      the subscriber cancels from inside the end: nothingAfterEnd
      three subscribers request at their own pace: nothingAfterEnd
    sends a value for a second cancel
      request and cancel are called after the stream is over: repeatedCalls
    sends all for any request
      1, 1, 2, none and then the rest are requested: demand
      another thread requests and subscribes during a value: demand
      every callback requests, subscribes and cancels: demand
      only the subscription is kept: demand
      receive(_:) requests one more: demand
      receive(_:) returns a demand: demand
      request and cancel are called after the stream is over: demand
      three subscribers request at their own pace: demand
    sends each value twice
      1, 1, 2, none and then the rest are requested: demand
      another thread requests and subscribes during a value: demand
      every callback requests, subscribes and cancels: demand
      only the subscription is kept: demand
      receive(_:) requests one more: demand
      receive(_:) returns a demand: demand
      request and cancel are called after the stream is over: demand
      three subscribers request at their own pace: demand
    sends its end and then its subscription
      1, 1, 2, none and then the rest are requested: subscriptionFirst
      a closure of the publisher cancels: subscriptionFirst
      all values are requested, and not one more: subscriptionFirst
      another thread cancels during a value: subscriptionFirst
      another thread requests and subscribes during a value: subscriptionFirst
      every callback requests, subscribes and cancels: subscriptionFirst
      everything is requested at once: subscriptionFirst
      it is subscribed twice: subscriptionFirst
      more is requested than can be counted: subscriptionFirst
      only the subscription is kept: subscriptionFirst
      receive(_:) requests one more: subscriptionFirst
      receive(_:) returns a demand: subscriptionFirst
      request and cancel are called after the stream is over: subscriptionFirst
      the subscriber cancels from inside a value: subscriptionFirst
      the subscriber cancels from inside the end: subscriptionFirst
      the subscriber cancels when it gets its subscription: subscriptionFirst
      three subscribers request at their own pace: subscriptionFirst
    sends its end only for one more request
      everything is requested, and one more later: progress
    sends its subscription again for the first request
      1, 1, 2, none and then the rest are requested: oneSubscription
      a closure of the publisher cancels: oneSubscription
      another thread cancels during a value: oneSubscription
      another thread requests and subscribes during a value: oneSubscription
      every callback requests, subscribes and cancels: oneSubscription
      everything is requested at once: oneSubscription
      everything is requested, and one more later: oneSubscription
      it is subscribed twice: oneSubscription
      only the subscription is kept: oneSubscription
      receive(_:) requests one more: oneSubscription
      receive(_:) returns a demand: oneSubscription
      request and cancel are called after the stream is over: oneSubscription
      three subscribers request at their own pace: oneSubscription
    sends its subscription twice
      1, 1, 2, none and then the rest are requested: oneSubscription
      a closure of the publisher cancels: oneSubscription
      all values are requested, and not one more: oneSubscription
      another thread cancels during a value: oneSubscription
      another thread requests and subscribes during a value: oneSubscription
      every callback requests, subscribes and cancels: oneSubscription
      everything is requested at once: oneSubscription
      it is subscribed twice: oneSubscription
      more is requested than can be counted: oneSubscription
      only the subscription is kept: oneSubscription
      receive(_:) requests one more: oneSubscription
      receive(_:) returns a demand: oneSubscription
      request and cancel are called after the stream is over: oneSubscription
      the subscriber cancels from inside a value: oneSubscription
      the subscriber cancels from inside the end: oneSubscription
      the subscriber cancels when it gets its subscription: oneSubscription
      three subscribers request at their own pace: oneSubscription
    sends the last excess value at the end
      the upstream sends more than requested: excess
    serves a request for none
      1, 1, 2, none and then the rest are requested: noneIsNothing
    serves a request from inside a value
      another thread requests and subscribes during a value: serial
      every callback requests, subscribes and cancels: serial
      more is requested than can be counted: serial
      receive(_:) requests one more: serial
    serves each request from inside the last
      very many values: constantStack
    serves requests after its end
      request and cancel are called after the stream is over: repeatedCalls
    shares its upstream with its first subscriber alone
      several subscribers arrive at once: oneConnection
    starts with a value
      1, 1, 2, none and then the rest are requested: subscriptionFirst
      a closure of the publisher cancels: subscriptionFirst
      all values are requested, and not one more: subscriptionFirst
      another thread cancels during a value: subscriptionFirst
      another thread requests and subscribes during a value: subscriptionFirst
      every callback requests, subscribes and cancels: subscriptionFirst
      everything is requested at once: subscriptionFirst
      it is subscribed twice: subscriptionFirst
      more is requested than can be counted: subscriptionFirst
      only the subscription is kept: subscriptionFirst
      receive(_:) requests one more: subscriptionFirst
      receive(_:) returns a demand: subscriptionFirst
      request and cancel are called after the stream is over: subscriptionFirst
      the subscriber cancels from inside a value: subscriptionFirst
      the subscriber cancels from inside the end: subscriptionFirst
      the subscriber cancels when it gets its subscription: subscriptionFirst
      three subscribers request at their own pace: subscriptionFirst
    subscribes to its upstream when it is made
      the operator is made and not subscribed: laziness
    takes a failure for an end
      the upstream fails: failure
      the upstream fails when it is subscribed: failureAtOnce
    takes a sum that saturates for one
      more is requested than can be counted: demandSaturates
    takes the larger of two requests
      receive(_:) requests one more: demandAddsUp
    works for its first subscriber alone
      it is subscribed twice: laziness
    works when it is made
      it is subscribed twice: laziness
    """
}
