#if os(Linux)
  import Streams

  /// The pending deliveries in order.
  ///
  /// The leader makes them outside of libcurl.
  ///
  /// Only the leader uses it.
  final class CurlOutbox {
    private enum Entry {
      case end(EngineCall, CurlJob?, Result<EngineResponse, TransportError>)
      case pieces(CurlPieces)
      case errand(@Sendable () -> Void)
      case letGo(CurlJob)
    }

    private var entries = FIFO<Entry>()

    var isEmpty: Bool { entries.isEmpty }

    /// Adds the end of a call with a whole response, or of a call that never began.
    func end(
      _ call: EngineCall, _ job: CurlJob?, _ result: Result<EngineResponse, TransportError>
    ) {
      entries.append(.end(call, job, result))
    }

    /// Adds the pieces of a call for delivery.
    func tell(_ pieces: CurlPieces) {
      entries.append(.pieces(pieces))
    }

    /// Adds work that may run user code.
    func run(_ errand: @escaping @Sendable () -> Void) {
      entries.append(.errand(errand))
    }

    /// Adds a call's request for release, since it may own user objects.
    func letGo(_ job: CurlJob) {
      entries.append(.letGo(job))
    }

    /// Returns the next delivery, or nil if there is none.
    func next() -> Delivery? {
      while let entry = entries.popFirst() {
        switch entry {
        case .end(let call, let job, let result): return .end(call, job, result)
        case .errand(let errand): return .errand(errand)
        case .letGo(let job): return .letGo(job)
        case .pieces(let pieces):
          if let delivery = pieces.next() { return delivery }
        }
      }
      return nil
    }
  }

  /// One run of user code.
  enum Delivery {
    case end(EngineCall, CurlJob?, Result<EngineResponse, TransportError>)
    case piece(EngineCall, EngineEvent, EngineEventHandler)
    case errand(@Sendable () -> Void)
    case letGo(CurlJob)

    /// The call that gets a piece, and waits for its next turn afterwards.
    var callWithPieces: EngineCall? {
      if case .piece(let call, _, _) = self { call } else { nil }
    }

    /// The call whose end is delivered.
    var endedCall: EngineCall? {
      if case .end(let call, _, _) = self { call } else { nil }
    }

    /// Runs the delivery and releases everything it holds.
    ///
    /// Returns whether more pieces are wanted.
    consuming func run() -> EngineFlow {
      switch self {
      case .end(let call, _, let result): call.complete(result)
      case .piece(_, let event, let tell): return tell(event)
      case .errand(let errand): errand()
      case .letGo: break
      }
      return .more
    }
  }

  /// The pending pieces of a call, delivered one after another.
  ///
  /// Only the leader uses it.
  final class CurlPieces {
    let call: EngineCall
    private let tell: EngineEventHandler
    private let outbox: CurlOutbox
    private var events = FIFO<EngineEvent>()
    private var waitingBytes = 0
    private var end: (job: CurlJob, result: Result<EngineResponse, TransportError>)?
    /// Whether the outbox contains it.
    private var isListed = false
    /// Whether a piece is being delivered.
    private var isBusy = false
    private var isPaused = false
    /// Whether more was requested during a delivery.
    ///
    /// The delivery's result may then contain an outdated pause.
    private var isResumed = false
    private var mayPause = true
    private var endsWithProgress = false

    /// The maximum number of bytes that one turn of libcurl may add before it must wait.
    private static let maxWaiting = 4 << 20
    /// The number of waiting events from which progress is merged.
    private static let manyEvents = 16

    init(_ call: EngineCall, tell: @escaping EngineEventHandler, outbox: CurlOutbox) {
      self.call = call
      self.tell = tell
      self.outbox = outbox
    }

    /// Whether no more of the response is wanted at present.
    var isHeld: Bool { isPaused || isBusy || waitingBytes > Self.maxWaiting }

    func append(_ event: EngineEvent) {
      switch event {
      case .sent:
        // The latest count replaces the previous ones; a long upload would otherwise fill the memory.
        let isMany = events.count >= Self.manyEvents
        if isMany, endsWithProgress, events.replaceLast(event) != nil { return }
        endsWithProgress = true
      case .head:
        endsWithProgress = false
      case .chunk(let data):
        waitingBytes += data.count
        endsWithProgress = false
      }
      events.append(event)
      list()
    }

    /// Adds the end of the call, after all pieces.
    func append(end result: Result<EngineResponse, TransportError>, of job: CurlJob) {
      end = (job, result)
      list()
    }

    func resume() {
      isPaused = false
      isResumed = isBusy
      list()
    }

    /// Disables pauses, since no call is resumed at the end of an engine.
    func endPauses() {
      mayPause = false
      resume()
    }

    /// Drops all pieces.
    ///
    /// Returns the job to release, if the call's end was waiting.
    func close() -> CurlJob? {
      events = FIFO()
      return end.take()?.job
    }

    /// Removes and returns all remaining deliveries.
    func rest() -> [Delivery] {
      var rest: [Delivery] = []
      while let delivery = take() { rest.append(delivery) }
      return rest
    }

    /// Returns the next delivery.
    ///
    /// A piece must be followed by `noteTold`.
    fileprivate func next() -> Delivery? {
      isListed = false
      return isWaiting ? nil : take()
    }

    private func take() -> Delivery? {
      if let event = events.popFirst() {
        if case .chunk(let data) = event { waitingBytes -= data.count }
        isBusy = true
        return .piece(call, event, tell)
      }
      return end.take().map { .end(call, $0.job, $0.result) }
    }

    /// Notes that the piece was delivered, and whether more are wanted.
    func noteTold(_ flow: EngineFlow) {
      isBusy = false
      isPaused = flow == .pause && mayPause && !isResumed
      isResumed = false
      list()
    }

    /// Whether nothing can be delivered at present.
    private var isWaiting: Bool { isBusy || (events.isEmpty ? end == nil : isPaused) }

    private func list() {
      guard !isListed, !isWaiting else { return }
      isListed = true
      outbox.tell(self)
    }
  }
#endif
