extension ConformanceRule {
  var upstreamText: Text {
    switch self {
    case .upstreamDemand:
      Text(
        "C-3", "RS 4.1", says: "The upstream is asked for what the traits say.",
        remedy: "Pass requests on, ask for everything, or declare the demand as its own.")
    case .upstreamCost:
      Text(
        "C-14", says: "With unlimited demand a value on its way makes no call upstream.",
        remedy: "Ask once; return .none from receive(_:).")
    case .upstreamCancel:
      Text(
        "C-4", "RS 3.5", says: "However often it is asked, a cancel reaches the upstream once.",
        remedy: "Take the upstream's subscription out of its place, then cancel it.")
    case .earlyEnd:
      Text(
        "C-4", "RS 2.6", says: "Who ends a stream by itself cancels the upstream, once.",
        remedy: "Cancel the upstream before the end is passed on.")
    case .silenceAfterEnd:
      Text(
        "C-4", "RS 1.6", "RS 2.4",
        says: "After its end the upstream is neither cancelled nor asked.",
        remedy: "Let go of the upstream's subscription when its end comes.")
    case .failure:
      Text(
        "C-2", "RS 1.4", "RS 4.2", says: "A failure is passed on, or handled as the traits say.",
        remedy: "Pass the upstream's failure on after the values that came before it.")
    case .passedContext:
      Text(
        "C-16", says: "The upstream is given the context of the downstream.",
        remedy: "Let your subscriber's context be its downstream's.")
    default:
      Text(
        "C-2", "RS 1.9", "RS 2.10",
        says: "A failure at once comes after a subscription and needs no demand.",
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
        remedy: "Close a gate at the end and let values through an open one only.")
    case .secondEnd:
      Text(
        "C-15", "RS 1.7", says: "A second end is dropped and reported.",
        remedy: "Close a gate at the first end.")
    case .beforeSubscription:
      Text(
        "C-15", "RS 1.9", says: "A signal before the upstream's subscription does no harm.",
        remedy: "Drop and report it, or pass it on below a subscription of your own.")
    case .excess:
      Text(
        "C-15", "RS 1.1", says: "An upstream that sends more than it was asked for does no harm.",
        remedy: "Drop and report, or pass on; never trap, nor lose count.")
    default:
      Text(
        "C-4", "RS 2.8", says: "What the upstream sends after a cancel is dropped.",
        remedy: "Close a gate on cancel and let values through an open one only.")
    }
  }

  var meetingText: Text {
    switch self {
    case .oneConnection:
      Text(
        "C-11", "RS 1.11", says: "Subscribers that come together share one upstream subscription.",
        remedy: "Decide under a lock who connects, and connect outside of it.")
    case .hopOrder:
      Text(
        "C-10", says: "A hop keeps the order on any scheduler, and delivers nowhere else.",
        remedy: "Queue the values yourself; let a job of the scheduler empty the queue.")
    case .hopDemand:
      Text(
        "C-10", says: "A hop holds no more than was asked for, and delivers what waits in one job.",
        remedy:
          "Ask the upstream for no more than the downstream asked for; schedule when the queue was empty."
      )
    case .hopCancel:
      Text(
        "C-10", "C-4", says: "A cancel is final while values are on their way through a hop.",
        remedy: "Look for a cancel before each delivery, and empty the queue on cancel.")
    default:
      Text(
        "C-9", "RS 1.11", says: "All subscribers see one order, with sends inside of sends too.",
        remedy: "Queue what is sent from inside a delivery until all have the value before it.")
    }
  }
}
