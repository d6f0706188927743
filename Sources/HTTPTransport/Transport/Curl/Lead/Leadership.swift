#if os(Linux)
  /// The state of an engine's leadership: which thread leads, and whether another one watches (the
  /// pattern Leader/Followers; Schmidt et al., Pattern-Oriented Software Architecture, volume 2).
  ///
  /// Only the leader uses the engine. User code may block the leader during a delivery. The
  /// watcher, a second thread, then takes the lead. The watcher polls, and a delivery that it sees
  /// twice takes too long. Without deliveries it goes to sleep, and the next delivery wakes it.
  ///
  /// The whole state is one word, so that a delivery costs the leader two atomic operations.
  struct Leadership: Equatable, Sendable {
    /// The state of the second thread.
    enum Watch: UInt64 {
      /// There is no second thread.
      case none
      case asleep
      case awake
    }

    /// The result of beginning a delivery.
    enum Beginning: Equatable {
      case watched
      /// The watcher must be woken.
      case wake
      /// There is no watcher: nothing else continues until the delivery ends.
      case alone
      /// There is no watcher, and the delivery did not begin.
      case refused
    }

    /// The watcher's next action.
    enum Look: Equatable {
      case again
      /// It leads from now on.
      case lead
      case lieDown
      /// The engine has ended.
      case leave
    }

    /// The watcher's observations of its last look.
    struct Memory: Equatable {
      fileprivate(set) var number: UInt64 = 0
      fileprivate(set) var quietLooks = 0
    }

    /// The number of consecutive looks without a delivery before the watcher goes to sleep.
    static let patience = 4

    /// The number of the last delivery.
    private(set) var number: UInt64 = 0
    private(set) var watch = Watch.none
    private(set) var isDelivering = false
    private(set) var isOver = false

    // MARK: The leader

    /// Begins a delivery.
    ///
    /// - Parameter mayBeAlone: Whether it begins even without a watcher.
    mutating func begin(mayBeAlone: Bool = false) -> Beginning {
      guard watch != .none || mayBeAlone || isOver else { return .refused }
      number &+= 1
      isDelivering = true
      switch watch {
      case .none: return .alone
      case .awake: return .watched
      case .asleep:
        watch = .awake
        return .wake
      }
    }

    /// Ends the delivery of that number.
    ///
    /// Returns false if another thread leads by now.
    mutating func end(_ number: UInt64) -> Bool {
      guard isDelivering, self.number == number else { return false }
      isDelivering = false
      return true
    }

    /// Notes the end of the engine, and returns whether the watcher must be woken for it.
    mutating func close() -> Bool {
      isOver = true
      defer { if watch == .asleep { watch = .awake } }
      return watch == .asleep
    }

    // MARK: The watcher

    /// Takes the watcher's place, for the calling thread or for one that it calls.
    ///
    /// Returns false if there is a watcher.
    mutating func takeWatch() -> Bool {
      guard watch == .none, !isOver else { return false }
      watch = .awake
      return true
    }

    /// Gives the place back, if no thread could be called.
    mutating func giveWatchBack() { watch = .none }

    mutating func look(_ memory: inout Memory) -> Look {
      guard !isOver else { return .leave }
      guard memory.number == number else {
        memory = Memory(number: number)
        return .again
      }
      if isDelivering {
        isDelivering = false
        watch = .none
        return .lead
      }
      memory.quietLooks += 1
      guard memory.quietLooks >= Self.patience else { return .again }
      watch = .asleep
      return .lieDown
    }

    /// Leaves the place after a long sleep.
    ///
    /// Returns false if the watcher is being woken.
    mutating func leaveWatch() -> Bool {
      guard watch == .asleep else { return false }
      watch = .none
      return true
    }
  }

  extension Leadership {
    /// Makes the state from a word: four bits of flags, followed by the number.
    init(word: UInt64) {
      isDelivering = word & 1 != 0
      isOver = word & 2 != 0
      watch = Watch(rawValue: word >> 2 & 3) ?? .none
      number = word >> 4
    }

    var word: UInt64 {
      (isDelivering ? 1 : 0) | (isOver ? 2 : 0) | watch.rawValue << 2 | number << 4
    }
  }
#endif
