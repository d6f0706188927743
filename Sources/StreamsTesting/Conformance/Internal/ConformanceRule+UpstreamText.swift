extension ConformanceRule {
  var upstreamText: Text {
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

  var slipText: Text {
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

  var meetingText: Text {
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
