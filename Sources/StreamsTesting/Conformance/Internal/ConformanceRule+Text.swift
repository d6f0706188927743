extension ConformanceRule {
  struct Text {
    let ids: [String]
    let sentence: String
    let remedy: String

    init(_ ids: String..., says sentence: String, remedy: String) {
      self.ids = ids
      self.sentence = sentence
      self.remedy = remedy
    }
  }

  var text: Text {
    switch self {
    case .serial, .subscriptionFirst, .oneSubscription, .nothingAfterEnd, .progress:
      signalText
    case .demand, .demandAddsUp, .demandSaturates, .noneIsNothing, .endNeedsNoDemand:
      demandText
    case .finalCancel, .cancelElsewhere, .repeatedCalls, .independence, .constantStack,
      .noLockHeld, .release, .laziness:
      lifeText
    case .upstreamDemand, .upstreamCost, .upstreamCancel, .earlyEnd, .silenceAfterEnd, .failure,
      .failureAtOnce, .passedContext:
      upstreamText
    case .secondSubscription, .valueAfterEnd, .secondEnd, .beforeSubscription, .excess,
      .strayAfterCancel:
      slipText
    case .oneConnection, .hopOrder, .hopDemand, .hopCancel, .oneOrder:
      meetingText
    }
  }

  private var signalText: Text {
    switch self {
    case .serial:
      Text(
        "C-1", "RS 1.3", says: "Signals to one subscriber come one at a time.",
        remedy: "Let one thread deliver while others only leave values or demand for it.")
    case .subscriptionFirst:
      Text(
        "C-2", "RS 1.9", says: "The subscription is the first signal.",
        remedy: "Call receive(subscription:) before anything else, also before a failure.")
    case .oneSubscription:
      Text(
        "C-2", "RS 2.12", says: "A subscriber gets exactly one subscription.",
        remedy: "Call receive(subscription:) once for each subscriber.")
    case .nothingAfterEnd:
      Text(
        "C-2", "RS 1.7", says: "Nothing comes after the end.",
        remedy: "Release the subscriber before you send it the end.")
    default:
      Text(
        "C-2", "RS 1.5", says: "Requested values arrive, or an end does.",
        remedy: "Serve each request; a publisher that is silent on purpose skips this rule.")
    }
  }

  private var demandText: Text {
    switch self {
    case .demand:
      Text(
        "C-3", "RS 1.1", says: "No more values arrive than were requested.",
        remedy: "Count the requested values, and keep or drop values beyond that.")
    case .demandAddsUp:
      Text(
        "C-3", "RS 3.8",
        says: "Requests, also from inside a signal, and demands from receive(_:) add up.",
        remedy: "Add each request and each returned demand to one count.")
    case .demandSaturates:
      Text(
        "C-3", "RS 3.17", says: "Demand saturates at unlimited.",
        remedy: "Add with Subscribers.Demand, whose arithmetic saturates.")
    case .noneIsNothing:
      Text(
        "C-3", "RS 3.9", says: "A request for none does nothing.",
        remedy: "Return at once if the demand is none.")
    default:
      Text(
        "C-3", "RS 2.9", says: "An end needs no demand.",
        remedy: "Send the end as soon as no value comes before it.")
    }
  }

  private var lifeText: Text {
    switch self {
    case .finalCancel:
      Text(
        "C-4", "RS 1.8", says: "After a cancel on the delivering thread nothing arrives.",
        remedy: "Check for a cancel after each call of the subscriber or of a closure.")
    case .cancelElsewhere:
      Text(
        "C-4", "RS 3.5",
        says: "After a cancel on another thread at most the signal in flight arrives.",
        remedy: "Check for a cancel before each signal. cancel() must not wait for a delivery.")
    case .repeatedCalls:
      Text(
        "C-4", "RS 3.6", "RS 3.7",
        says: "After a cancel or the end, cancel and request do nothing.",
        remedy: "Keep a flag, or release the state that the calls use.")
    case .independence:
      Text(
        "C-8", "RS 1.11", says: "Each of several subscribers gets all values at its own pace.",
        remedy: "Keep the state of a subscription in the subscription, not in the publisher.")
    case .constantStack:
      Text(
        "C-5", "RS 3.3", says: "The stack does not grow with the number of values.",
        remedy: "Serve demand in a loop: a request from inside receive(_:) only adds to a count.")
    case .noLockHeld:
      Text(
        "C-6", "RS 3.4",
        says: "Signals and closures may call back, on any thread, without a deadlock.",
        remedy: "Take values out under the lock, and call or release them afterwards.")
    case .release:
      Text(
        "C-7", "RS 3.13",
        says: "After the end or a cancel, subscribers, closures and upstreams are freed.",
        remedy: "Set the subscription's references to nil at the end and on cancel.")
    default:
      Text(
        "C-8", says: "Nothing runs before a subscription, and each subscription does its own work.",
        remedy: "Do the work in receive(subscriber:), not when the publisher is made.")
    }
  }
}
