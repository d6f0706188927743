/// A promise of a publisher, an operator or a subject, which the kit checks.
///
/// Each rule has its numbers: `C-…` in the contract of Streams (`Docs/Streams.md`), `RS …` in
/// Reactive Streams 1.0.4.
public enum ConformanceRule: String, Sendable, Hashable, CaseIterable {
  // Rules of every publisher.
  case serial, subscriptionFirst, oneSubscription, nothingAfterEnd, progress
  case demand, demandAddsUp, demandSaturates, noneIsNothing, endNeedsNoDemand, promptEnd
  case finalCancel, cancelElsewhere, repeatedCalls
  case independence, constantStack, noLockHeld, release, laziness

  // Rules of operators, towards their upstream.
  case upstreamDemand, upstreamCost, upstreamCancel, earlyEnd, silenceAfterEnd
  case failure, failureAtOnce, passedContext
  case secondSubscription, valueAfterEnd, secondEnd, beforeSubscription, excess, strayAfterCancel

  // Rules of operators that share one upstream, of those that hop, and of subjects.
  case oneConnection, hopOrder, hopDemand, hopCancel, oneOrder

  /// The numbers of the rule, such as `C-3` and `RS 1.1`.
  public var ids: [String] { text.ids }

  /// The rule in one sentence.
  public var sentence: String { text.sentence }

  /// The remedy for a broken rule.
  public var remedy: String { text.remedy }
}

extension ConformanceRule: CustomStringConvertible {
  public var description: String { "\(ids.joined(separator: ", ")): \(sentence)" }
}

extension ConformanceRule {
  private struct Text {
    let ids: [String]
    let sentence: String
    let remedy: String

    init(_ ids: String..., says sentence: String, remedy: String) {
      self.ids = ids
      self.sentence = sentence
      self.remedy = remedy
    }
  }

  private var text: Text {
    switch self {
    case .serial, .subscriptionFirst, .oneSubscription, .nothingAfterEnd, .progress:
      signalText
    case .demand, .demandAddsUp, .demandSaturates, .noneIsNothing, .endNeedsNoDemand, .promptEnd:
      demandText
    case .finalCancel, .cancelElsewhere, .repeatedCalls, .independence, .constantStack,
      .noLockHeld, .release, .laziness:
      lifeText
    case .upstreamDemand, .upstreamCost, .upstreamCancel, .earlyEnd, .silenceAfterEnd, .failure,
      .failureAtOnce, .passedContext:
      upstreamText
    case .secondSubscription, .valueAfterEnd, .secondEnd, .beforeSubscription, .excess,
      .strayAfterCancel:
      violationText
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
    case .endNeedsNoDemand:
      Text(
        "C-3", "RS 2.9", says: "An end needs no demand.",
        remedy: "Send the end as soon as no value comes before it.")
    default:
      Text(
        "C-3", says: "The end comes right after the last value.",
        remedy: "Look one ahead. If only another value can tell the end, skip this rule.")
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

  private var upstreamText: Text {
    switch self {
    case .upstreamDemand:
      Text(
        "C-3", "RS 4.1", says: "The upstream gets the demand that the traits declare.",
        remedy: "Pass requests on, request everything, or declare the demand as own.")
    case .upstreamCost:
      Text(
        "C-14", says: "With unlimited demand, a passing value makes no call upstream.",
        remedy: "Request once, and return .none from receive(_:).")
    case .upstreamCancel:
      Text(
        "C-4", "RS 3.5", says: "Several cancels reach the upstream as one.",
        remedy: "Take the upstream's subscription out of its property, then cancel it.")
    case .earlyEnd:
      Text(
        "C-4", "RS 2.6", says: "An operator that ends the stream itself cancels the upstream once.",
        remedy: "Cancel the upstream before the end is passed on.")
    case .silenceAfterEnd:
      Text(
        "C-4", "RS 1.6", "RS 2.4",
        says: "After its end, the upstream gets no cancel and no request.",
        remedy: "Release the upstream's subscription when its end comes.")
    case .failure:
      Text(
        "C-2", "RS 1.4", "RS 4.2", says: "A failure is passed on, or handled as declared.",
        remedy: "Pass the upstream's failure on after the values that came before it.")
    case .passedContext:
      Text(
        "C-16", says: "The upstream gets the context of the downstream.",
        remedy: "Return the downstream's context as your subscriber's context.")
    default:
      Text(
        "C-2", "RS 1.9", "RS 2.10",
        says: "An immediate failure comes after a subscription and needs no demand.",
        remedy: "Hand over a subscription first, then pass the failure on.")
    }
  }

  private var violationText: Text {
    switch self {
    case .secondSubscription:
      Text(
        "C-15", "RS 2.5", says: "A second subscription is cancelled and reported.",
        remedy: "Keep the first subscription and cancel any other at once.")
    case .valueAfterEnd:
      Text(
        "C-15", "RS 1.7", says: "A value after the upstream's end is dropped and reported.",
        remedy: "Close a gate at the end, and pass values only while it is open.")
    case .secondEnd:
      Text(
        "C-15", "RS 1.7", says: "A second end is dropped and reported.",
        remedy: "Close a gate at the first end.")
    case .beforeSubscription:
      Text(
        "C-15", "RS 1.9", says: "A signal before the upstream's subscription does no harm.",
        remedy: "Drop and report it, or pass it on after your own subscription.")
    case .excess:
      Text(
        "C-15", "RS 1.1", says: "An upstream that sends more than requested does no harm.",
        remedy: "Drop and report the excess, or pass it on. Never trap or lose count.")
    default:
      Text(
        "C-4", "RS 2.8", says: "Signals of the upstream after a cancel are dropped.",
        remedy: "Close a gate on cancel, and pass values only while it is open.")
    }
  }

  private var meetingText: Text {
    switch self {
    case .oneConnection:
      Text(
        "C-11", "RS 1.11", says: "Subscribers that come together share one upstream subscription.",
        remedy: "Choose the connecting subscriber under a lock, and connect outside it.")
    case .hopOrder:
      Text(
        "C-10", says: "A hop keeps the order on any scheduler, and delivers nowhere else.",
        remedy: "Queue the values yourself; let a job of the scheduler empty the queue.")
    case .hopDemand:
      Text(
        "C-10", says: "A hop holds no more than requested, and delivers waiting values in one job.",
        remedy: "Request no more than the downstream. Schedule only if the queue was empty.")
    case .hopCancel:
      Text(
        "C-10", "C-4", says: "A cancel is final while values are on their way through a hop.",
        remedy: "Check for a cancel before each delivery, and empty the queue on cancel.")
    default:
      Text(
        "C-9", "RS 1.11", says: "All subscribers see one order, also with nested sends.",
        remedy: "Queue values sent from inside a delivery until all have the previous value.")
    }
  }
}
