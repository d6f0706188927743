import Streams
import Synchronization

/// The observer of the calls that use a transport: see ``ObservedTransport/callEvents``.
///
/// A transport of your own that forwards requests to another transport forwards the other's
/// observer, too.
public final class CallObserver: Sendable {
  private enum Message {
    case event(CallEvent)
    case log(CallLog)
  }

  package let clock: any Scheduler
  private let next: CallObserver?
  private let messages = PassthroughSubject<Message, Never>()
  private let hasListener = Atomic(false)
  private let ownInstruments = Lock<[any CallInstrument]>([])
  private let hasInstrument = Atomic(false)
  private let count = Atomic(0)

  /// - Parameters:
  ///   - clock: The clock of the calls.
  ///   - next: The observer that receives the same events.
  package init(clock: any Scheduler, next: CallObserver?) {
    self.clock = clock
    self.next = next
  }

  /// Whether there was ever a subscriber, or there is an instrument.
  ///
  /// Until then, calls need no log.
  package var isListenedTo: Bool {
    hasListener.load(ordering: .relaxed) || hasInstrument.load(ordering: .relaxed)
      || next?.isListenedTo == true
  }

  /// Whether there is an instrument.
  var isInstrumented: Bool {
    hasInstrument.load(ordering: .relaxed) || next?.isInstrumented == true
  }

  /// The instruments that follow each call and each exchange.
  var instruments: [any CallInstrument] {
    guard isInstrumented else { return [] }
    return ownInstruments.withLock { $0 } + (next?.instruments ?? [])
  }

  /// - Returns: A cancellable that removes the instrument when it is cancelled or released.
  package func add(_ instrument: any CallInstrument) -> AnyCancellable {
    ownInstruments.withLock { instruments in
      instruments.append(instrument)
      hasInstrument.store(true, ordering: .relaxed)
    }
    return AnyCancellable { [self] in
      ownInstruments.withLock { instruments in
        // The closure also holds the instrument, so that nothing is released under the lock.
        if let index = instruments.firstIndex(where: { $0 === instrument }) {
          instruments.remove(at: index)
        }
        hasInstrument.store(!instruments.isEmpty, ordering: .relaxed)
      }
    }
  }

  func nextNumber() -> Int { count.add(1, ordering: .relaxed).newValue }

  func tell(_ event: CallEvent) {
    messages.send(.event(event))
    next?.tell(event)
  }

  func tell(_ log: CallLog) {
    messages.send(.log(log))
    next?.tell(log)
  }

  package var events: AnyPublisher<CallEvent, Never> {
    listening { if case .event(let event) = $0 { event } else { nil } }
  }

  package var logs: AnyPublisher<CallLog, Never> {
    listening { if case .log(let log) = $0 { log } else { nil } }
  }

  private func listening<Output: Sendable>(
    to part: @escaping @Sendable (Message) -> Output?
  ) -> AnyPublisher<Output, Never> {
    Deferred { [self] in
      hasListener.store(true, ordering: .relaxed)
      return messages.compactMap(part)
    }
    .eraseToAnyPublisher()
  }
}
