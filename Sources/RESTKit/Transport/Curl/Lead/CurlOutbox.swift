#if os(Linux)
  import Streams

  /// What is to be told to users, in order; it is told outside of libcurl, by whoever leads.
  ///
  /// Used by the leader only.
  final class CurlOutbox {
    private enum Entry {
      case end(EngineCall, CurlJob?, Result<EngineResponse, TransportError>)
      case pieces(CurlPieces)
      case errand(@Sendable () -> Void)
      case letGo(CurlJob)
    }

    private var entries = FIFO<Entry>()

    var isEmpty: Bool { entries.isEmpty }

    /// Ends a call whose response comes whole, or never began.
    func end(
      _ call: EngineCall, _ job: CurlJob?, _ result: Result<EngineResponse, TransportError>
    ) {
      entries.append(.end(call, job, result))
    }

    /// Has a call in pieces told of what it has.
    func tell(_ pieces: CurlPieces) {
      entries.append(.pieces(pieces))
    }

    /// Does something that may run a user's code.
    func run(_ errand: @escaping @Sendable () -> Void) {
      entries.append(.errand(errand))
    }

    /// Lets go of a call's request, which may own what is a user's.
    func letGo(_ job: CurlJob) {
      entries.append(.letGo(job))
    }

    /// Takes out what is next; nil where nothing waits.
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

  /// One turn of a user's code.
  enum Delivery {
    case end(EngineCall, CurlJob?, Result<EngineResponse, TransportError>)
    case piece(EngineCall, EngineEvent, EngineEventHandler)
    case errand(@Sendable () -> Void)
    case letGo(CurlJob)

    /// The call that is told a piece, and waits for its next turn behind it.
    var callWithPieces: EngineCall? {
      if case .piece(let call, _, _) = self { call } else { nil }
    }

    /// The call that is told its end.
    var endedCall: EngineCall? {
      if case .end(let call, _, _) = self { call } else { nil }
    }

    /// Runs it, and lets go of all that it holds; whether more pieces are wanted.
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

  /// What a call in pieces is still to be told of, one piece after the other.
  ///
  /// Used by the leader only.
  final class CurlPieces {
    let call: EngineCall
    private let tell: EngineEventHandler
    private let outbox: CurlOutbox
    private var events = FIFO<EngineEvent>()
    private var waitingBytes = 0
    private var end: (job: CurlJob, result: Result<EngineResponse, TransportError>)?
    /// Whether the outbox has it.
    private var isListed = false
    /// Whether somebody is being told of a piece just now.
    private var isBusy = false
    private var isPaused = false
    /// Whether somebody asked for more while a piece was told: what that says of a pause may be older.
    private var isResumed = false
    private var mayPause = true
    private var endsWithProgress = false

    /// What one turn of libcurl may bring before it has to wait.
    private static let maxWaiting = 4 << 20
    /// As many as wait before progress is told less finely.
    private static let manyEvents = 16

    init(_ call: EngineCall, tell: @escaping EngineEventHandler, outbox: CurlOutbox) {
      self.call = call
      self.tell = tell
      self.outbox = outbox
    }

    /// Whether no more of the response is wanted for now.
    var isHeld: Bool { isPaused || isBusy || waitingBytes > Self.maxWaiting }

    func append(_ event: EngineEvent) {
      switch event {
      case .sent:
        // The latest count says what the ones before it said; a long upload would fill the memory.
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

    /// The call is over once all pieces are told.
    func append(end result: Result<EngineResponse, TransportError>, of job: CurlJob) {
      end = (job, result)
      list()
    }

    func resume() {
      isPaused = false
      isResumed = isBusy
      list()
    }

    /// Lets nobody pause any more, since nobody resumes at the end of an engine.
    func endPauses() {
      mayPause = false
      resume()
    }

    /// Nothing more is told; what the call was, if its end was waiting, and is to be let go of.
    func close() -> CurlJob? {
      events = FIFO()
      return end.take()?.job
    }

    /// Takes out all that is left.
    func rest() -> [Delivery] {
      var rest: [Delivery] = []
      while let delivery = take() { rest.append(delivery) }
      return rest
    }

    /// Takes out what is next; a piece has to be followed by `noteTold`.
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

    /// Notes that the piece was told, and whether more are wanted.
    func noteTold(_ flow: EngineFlow) {
      isBusy = false
      isPaused = flow == .pause && mayPause && !isResumed
      isResumed = false
      list()
    }

    /// Whether nothing can be told for now.
    private var isWaiting: Bool { isBusy || (events.isEmpty ? end == nil : isPaused) }

    private func list() {
      guard !isListed, !isWaiting else { return }
      isListed = true
      outbox.tell(self)
    }
  }
#endif
