#if os(Linux)
  /// Who leads an engine, and whether another thread watches (the pattern Leader/Followers; Schmidt et
  /// al., Pattern-Oriented Software Architecture, volume 2).
  ///
  /// The leader alone uses the engine. While it runs code of a user, it can be stopped there; then the
  /// watcher, a second thread, takes the lead. The watcher looks once in a while; a delivery that it sees
  /// twice takes too long. Where nothing is delivered, it lies down, and the next delivery wakes it.
  ///
  /// All of this is one word, so that a delivery costs the leader two atomic operations.
  struct Leadership: Equatable, Sendable {
    /// What the second thread does.
    enum Watch: UInt64 {
      /// There is none.
      case none
      case asleep
      case awake
    }

    /// How a delivery begins.
    enum Beginning: Equatable {
      case watched
      /// The watcher is to be woken.
      case wake
      /// Nobody watches: until it ends, nothing else goes on.
      case alone
      /// Nobody watches, and nothing began.
      case refused
    }

    /// What the watcher does next.
    enum Look: Equatable {
      case again
      /// It leads from now on.
      case lead
      case lieDown
      /// The engine is no more.
      case leave
    }

    /// What the watcher saw when it looked last.
    struct Memory: Equatable {
      fileprivate(set) var number: UInt64 = 0
      fileprivate(set) var quietLooks = 0
    }

    /// Looks in a row without a delivery before the watcher lies down.
    static let patience = 4

    /// The number of the last delivery.
    private(set) var number: UInt64 = 0
    private(set) var watch = Watch.none
    private(set) var isDelivering = false
    private(set) var isOver = false

    // MARK: The leader

    /// Begins a delivery.
    ///
    /// - Parameter mayBeAlone: Whether it begins though nobody watches.
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

    /// Ends the delivery of that number; false where another thread leads by now.
    mutating func end(_ number: UInt64) -> Bool {
      guard isDelivering, self.number == number else { return false }
      isDelivering = false
      return true
    }

    /// Says that the engine is no more; whether the watcher is to be woken for it.
    mutating func close() -> Bool {
      isOver = true
      defer { if watch == .asleep { watch = .awake } }
      return watch == .asleep
    }

    // MARK: The watcher

    /// Takes the place of the watcher, for the thread that asks or for one that it calls; false where
    /// there is one.
    mutating func takeWatch() -> Bool {
      guard watch == .none, !isOver else { return false }
      watch = .awake
      return true
    }

    /// Gives the place back, where no thread could be called.
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

    /// Leaves the place after a long sleep; false where the watcher is being woken.
    mutating func leaveWatch() -> Bool {
      guard watch == .asleep else { return false }
      watch = .none
      return true
    }
  }

  extension Leadership {
    /// As a word: three flags' worth of bits, then the number.
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
