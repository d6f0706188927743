import Streams

/// A stage that fails a connection if it sends nothing for too long while there is demand.
///
/// It leaves out the progress of the request's body. If waits take no time, no silence is too long.
///
/// It requests a few events at a time, also for a subscriber that asks for everything: while that
/// subscriber is busy, the events wait in the transport, which stops reading.
struct StreamSilence: Publishers.TimedStage {
  /// The number of events that may be requested or wait here.
  static let mostEvents = 16

  private let rules: Rules
  private let isTimed: Bool
  private let hold: ReadAheadHold?
  /// The number of events that are requested and have not arrived.
  private var requested = 0
  private var phase = Phase.beforeHead

  enum Phase: Sendable {
    case beforeHead
    /// The response is the stream.
    case stream
    /// The response is another one, which is refused.
    ///
    /// Its body is limited where it is refused, and its silences here.
    case refused
  }

  /// What a kind of stream says about silence.
  struct Rules: Sendable {
    /// Returns how long the server may be silent in a phase; nil for no limit.
    let limit: @Sendable (Phase) -> Duration?
    /// Whether the response with this head is the stream.
    let isStream: @Sendable (ResponseHead) -> Bool
    /// Makes the failure of a silence before the head, or in the stream.
    let failure: @Sendable (Phase) -> any Error
  }

  /// - Parameters:
  ///   - isTimed: Whether time passes on the scheduler that measures the silence.
  ///   - hold: The reader that a source may wait for, if there is one.
  init(_ rules: Rules, isTimed: Bool = true, hold: ReadAheadHold? = nil) {
    self.rules = rules
    self.isTimed = isTimed
    self.hold = hold
  }

  mutating func receive(
    _ event: Publishers.TimedEvent<TransferEvent, any Error>,
    outlet: inout Publishers.Outlet<TransferEvent, any Error>
  ) {
    switch event {
    case .begin: break
    case .delivery: ask(&outlet)
    case .demand:
      ask(&outlet)
      if outlet.deadline == nil { wind(&outlet, from: outlet.now) }
    case .value(.sent):
      // The demand for this event is replaced by demand for another.
      requested -= 1
      ask(&outlet)
    case .value(let value):
      requested -= 1
      if case .head(let head) = value { phase = rules.isStream(head) ? .stream : .refused }
      outlet.send(value)
      wind(&outlet, from: outlet.now)
    case .end(let completion):
      outlet.deadline = nil
      outlet.end = .afterValues(completion)
    case .wake:
      wake(&outlet)
    }
  }

  /// Requests what the downstream wants, up to the number that may be requested or wait.
  private mutating func ask(_ outlet: inout Publishers.Outlet<TransferEvent, any Error>) {
    let room = Subscribers.Demand.max(max(Self.mostEvents - requested - outlet.waiting, 0))
    let more = min(outlet.unserved - requested, room)
    requested += more.max ?? 0
    outlet.request += more
  }

  private func wake(_ outlet: inout Publishers.Outlet<TransferEvent, any Error>) {
    // A wait for a busy subscriber, or for a task that has values, is not a silence of the server.
    if outlet.waiting > 0 || hold?.isOn == true { return wind(&outlet, from: outlet.now) }
    guard let limit = rules.limit(phase) else { return }
    if let end = hold?.end, end.adding(limit) > outlet.now { return wind(&outlet, from: end) }
    outlet.end = .lapsed { [phase, rules] in
      // A refused response fails with what came of it.
      phase == .refused ? .finished : .failure(rules.failure(phase))
    }
  }

  private func wind(
    _ outlet: inout Publishers.Outlet<TransferEvent, any Error>, from time: Duration
  ) {
    guard isTimed, outlet.unserved > .none, let limit = rules.limit(phase) else {
      outlet.deadline = nil
      return
    }
    outlet.deadline = time.adding(max(limit, .zero))
  }
}

/// The events of a response in pieces, which ends if the server is silent for too long.
struct SilenceLimit: Publisher {
  typealias Output = TransferEvent
  typealias Failure = any Error

  let events: AnyPublisher<TransferEvent, any Error>
  let rules: StreamSilence.Rules
  let scheduler: any Scheduler
  /// Whether the scheduler delivers the events, and not only measures the time.
  let isOnScheduler: Bool

  func receive(subscriber: some Subscriber<TransferEvent, any Error>) {
    let hold = subscriber.context[ReadAheadKey.self].map {
      ReadAheadHold(of: $0, clock: scheduler)
    }
    let events = events.context(ReadAheadKey.self, hold)
    let stage = StreamSilence(rules, isTimed: scheduler.letsTimePass, hold: hold)
    if isOnScheduler {
      Publishers.Timed(events, stage, scheduler: scheduler).receive(subscriber: subscriber)
    } else {
      Publishers.TimedInPlace(events, stage, clock: scheduler).receive(subscriber: subscriber)
    }
  }
}

extension Scheduler {
  /// Whether waits on this scheduler take time.
  ///
  /// If they take none, a time-out would expire at once.
  var letsTimePass: Bool { !(self is ImmediateScheduler) }
}
