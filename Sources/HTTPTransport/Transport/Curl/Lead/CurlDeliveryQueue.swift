#if os(Linux)
  import HTTPWire
  import Streams

  /// The pending deliveries in order.
  ///
  /// The leader makes them outside of libcurl.
  ///
  /// Only the leader uses it.
  final class CurlDeliveryQueue {
    private var entries = FIFO<Delivery>()

    var isEmpty: Bool { entries.isEmpty }

    /// Adds the end of a call, behind its events if it comes in pieces.
    func end(
      _ call: EngineCall, _ job: CurlJob?, _ result: Result<EngineResponse, TransportError>
    ) {
      guard let job, let events = job.request.events else {
        return entries.append(.end(call, job, result))
      }
      if events.finish(result, of: call) { tell(events, of: call) }
      letGo(job)
    }

    /// Adds the delivery of a call's events.
    func tell(_ events: EventBuffer, of call: EngineCall) {
      entries.append(.events(events, call))
    }

    /// Adds work that may run user code.
    func run(_ errand: @escaping @Sendable () -> Void) {
      entries.append(.errand(errand))
    }

    /// Adds the next part of a task.
    func run(_ job: CurlTaskJob) {
      entries.append(.job(job))
    }

    /// Hands the parts of tasks over to threads that do not end.
    func handOverJobs() {
      var all = entries.takeAll()
      while let delivery = all.popFirst() {
        if case .job(let job) = delivery { job.handOver() } else { entries.append(delivery) }
      }
    }

    /// Adds an object for release, since it may own user objects: a call's request, or its
    /// subscriber.
    func letGo(_ object: any Sendable) {
      entries.append(.letGo(object))
    }

    /// Returns the next delivery, or nil if there is none.
    func next() -> Delivery? { entries.popFirst() }
  }

  /// One run of user code.
  enum Delivery {
    case end(EngineCall, CurlJob?, Result<EngineResponse, TransportError>)
    /// The next event of a call in pieces, or its end.
    case events(EventBuffer, EngineCall)
    case errand(@Sendable () -> Void)
    case job(CurlTaskJob)
    case letGo(any Sendable)

    /// The call in pieces, whose response is held meanwhile.
    var callInPieces: (EventBuffer, EngineCall)? {
      if case .events(let events, let call) = self { (events, call) } else { nil }
    }

    /// Runs the delivery and releases everything it holds.
    ///
    /// Returns whether more events of the call can be delivered.
    consuming func run() -> Bool {
      switch self {
      case .end(let call, _, let result): call.complete(result)
      case .events(let events, _): return events.deliverOne()
      case .errand(let errand): errand()
      case .job(let job): job.run()
      case .letGo: break
      }
      return false
    }
  }

  /// What the leader knows of a call in pieces: the way to its buffer, and whether its response is
  /// held.
  ///
  /// Only the leader uses it. The state changes only when the leader comes to it, so a time limit
  /// on the server's silence never counts a time in which the response was held.
  final class CurlFeed {
    let call: EngineCall
    private let events: EventBuffer
    private let deliveryQueue: CurlDeliveryQueue
    /// Whether the buffer has asked for a pause, and not yet for more.
    private var isPaused = false
    /// The number of the queue's deliveries that have begun, of which one is at work.
    private var deliveries = 0

    /// - Parameter onResume: A closure that runs on any thread when the buffer wants more after a
    ///   pause.
    init(
      _ call: EngineCall, _ events: EventBuffer, deliveryQueue: CurlDeliveryQueue,
      onResume: @escaping @Sendable () -> Void
    ) {
      self.call = call
      self.events = events
      self.deliveryQueue = deliveryQueue
      events.begin(.pauses(resume: onResume))
    }

    /// Whether no more of the response is wanted at present.
    var isHeld: Bool { isPaused || deliveries > 0 }

    func append(_ event: EngineEvent) {
      let reply = events.append(event)
      if reply.flow == .pause { isPaused = true }
      if reply.mustDeliver { deliveryQueue.tell(events, of: call) }
    }

    func resume() { isPaused = false }

    /// Notes that an event is being delivered, and holds the response meanwhile.
    func beginTelling() { deliveries += 1 }

    func endTelling() { deliveries -= 1 }
  }
#endif
