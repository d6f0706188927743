/// The rules that each provocation of the kit tests at correct subjects.
enum ConformanceScenarios {
  static let ofPublishers = """
    everything is requested at once:
      serial subscriptionFirst oneSubscription nothingAfterEnd progress demand
    1, 1, 2, none and then the rest are requested:
      serial subscriptionFirst oneSubscription demand demandAddsUp noneIsNothing
    receive(_:) returns a demand:
      serial subscriptionFirst oneSubscription demand demandAddsUp
    receive(_:) requests one more:
      serial subscriptionFirst oneSubscription demand demandAddsUp
    more is requested than can be counted:
      serial subscriptionFirst oneSubscription demand demandSaturates
    nothing is requested:
      nothing
    all values are requested, and not one more:
      serial subscriptionFirst oneSubscription demand promptEnd
    everything is requested, and one more later:
      nothing
    three subscribers request at their own pace:
      serial subscriptionFirst oneSubscription demand independence
    the subscriber cancels when it gets its subscription:
      subscriptionFirst oneSubscription finalCancel
    the subscriber cancels from inside a value:
      serial subscriptionFirst oneSubscription demand demandAddsUp finalCancel
    a closure of the publisher cancels:
      serial subscriptionFirst oneSubscription demand finalCancel
    the subscriber cancels from inside the end:
      serial subscriptionFirst oneSubscription demand repeatedCalls
    request and cancel are called after the stream is over:
      serial subscriptionFirst oneSubscription demand repeatedCalls
    another thread cancels during a value:
      serial subscriptionFirst oneSubscription demand cancelElsewhere noLockHeld
    another thread requests and subscribes during a value:
      serial subscriptionFirst oneSubscription demand demandAddsUp noLockHeld
    every callback requests, subscribes and cancels:
      serial subscriptionFirst oneSubscription demand noLockHeld
    two threads request and a third cancels:
      serial subscriptionFirst oneSubscription demand demandAddsUp
    very many values:
      demandAddsUp constantStack
    only the subscription is kept:
      serial subscriptionFirst oneSubscription demand release
    it is subscribed twice:
      serial subscriptionFirst oneSubscription demand laziness
    """

  static let ofOperators = """
    the downstream requests 2, then 3, then everything:
      subscriptionFirst oneSubscription upstreamDemand
    the downstream requests none:
      serial subscriptionFirst oneSubscription noneIsNothing
    a hundred values pass:
      serial subscriptionFirst oneSubscription demand upstreamCost
    the downstream has a context:
      subscriptionFirst oneSubscription passedContext
    the downstream cancels three times:
      subscriptionFirst oneSubscription upstreamCancel
    four threads cancel:
      subscriptionFirst oneSubscription upstreamCancel
    a closure cancels while it works on the upstream's signal:
      serial subscriptionFirst oneSubscription demand finalCancel
    the upstream cancels when it is cancelled:
      serial subscriptionFirst oneSubscription demand finalCancel
    the upstream never ends:
      serial subscriptionFirst oneSubscription demand
    request and cancel are called after the upstream's end:
      serial subscriptionFirst oneSubscription demand silenceAfterEnd
    the upstream fails:
      serial subscriptionFirst oneSubscription demand failure
    the upstream fails when it is subscribed:
      serial subscriptionFirst oneSubscription failureAtOnce
    the upstream ends, and only the downstream's subscription is kept:
      serial subscriptionFirst oneSubscription demand release
    the operator is made and not subscribed:
      laziness
    the upstream sends a second subscription:
      subscriptionFirst oneSubscription secondSubscription
    the upstream sends a value after its end:
      serial subscriptionFirst oneSubscription demand valueAfterEnd
    the upstream ends twice:
      serial subscriptionFirst oneSubscription demand secondEnd
    the upstream sends a value before its subscription:
      beforeSubscription
    the upstream sends more than requested:
      serial subscriptionFirst oneSubscription excess
    the upstream continues after a cancel:
      subscriptionFirst oneSubscription strayAfterCancel
    several subscribers arrive at once:
      nothing
    """

  static let ofHops = """
    ten values and the end, on a scheduler that runs the last job first:
      serial subscriptionFirst oneSubscription demand hopOrder
    three values are requested, and three are on their way:
      serial subscriptionFirst oneSubscription demand hopDemand
    the downstream cancels while values are on their way:
      subscriptionFirst oneSubscription hopCancel
    """

  static let ofSubjects = """
    values and an end are sent:
      serial subscriptionFirst oneSubscription nothingAfterEnd progress demand
    the first of three subscribers sends from inside a value:
      serial subscriptionFirst oneSubscription demand oneOrder
    four threads send:
      serial subscriptionFirst oneSubscription demand oneOrder
    1, 1 and 2 values are requested, and more are sent:
      serial subscriptionFirst oneSubscription demand demandAddsUp demandSaturates noneIsNothing
    a subscriber comes after the end:
      serial subscriptionFirst oneSubscription endNeedsNoDemand
    it ends, and no more is requested:
      serial subscriptionFirst oneSubscription endNeedsNoDemand
    a subscriber cancels from inside a value:
      serial subscriptionFirst oneSubscription demand finalCancel repeatedCalls independence
    another thread cancels, requests, subscribes and sends during a value:
      serial subscriptionFirst oneSubscription demand cancelElsewhere noLockHeld
    every callback sends, subscribes and cancels:
      serial subscriptionFirst oneSubscription demand noLockHeld
    each value sends the next:
      constantStack
    only the subscription is kept:
      serial subscriptionFirst oneSubscription demand release
    it receives a subscription:
      upstreamDemand
    """
}
