#if os(Linux)
  /// The number of an engine's threads, and how many of them are spare.
  struct PoolSize: Sendable {
    /// The way to get a thread.
    enum Reinforcement: Equatable {
      /// Wake a spare thread.
      case ring
      /// Start a thread.
      case hire
      /// The maximum number is reached, and none is spare.
      case nobody(warns: Bool)
    }

    private let limit: Int
    /// The number of threads, without those that are about to end.
    private(set) var count = 1
    private(set) var spare = 0
    private(set) var isOver = false
    /// Whether a delivery failed for lack of a thread.
    private var isShort = false
    private var hasWarned = false

    init(limit: Int) { self.limit = limit }

    /// Returns how to get a thread that becomes the watcher.
    mutating func reinforce() -> Reinforcement {
      if spare > 0 {
        spare -= 1
        return .ring
      }
      guard count < limit else {
        isShort = true
        defer { hasWarned = true }
        return .nobody(warns: !hasWarned)
      }
      count += 1
      return .hire
    }

    /// Takes back a thread that a subscriber blocked, and returns whether one was needed meanwhile.
    ///
    /// - Parameter isSpare: Whether the thread becomes spare.
    mutating func takeBack(isSpare: Bool) -> Bool {
      if isSpare { spare += 1 }
      defer { isShort = false }
      return isShort
    }

    /// Lets a spare thread end.
    ///
    /// Returns false if the thread is being called.
    mutating func leave() -> Bool {
      guard spare > 0 else { return false }
      spare -= 1
      count -= 1
      return true
    }

    /// Removes the watcher from the count before it gives up its place.
    ///
    /// A thread that then finds the place empty must also find room for another thread.
    mutating func leaveWatch() { count -= 1 }

    /// Adds the watcher to the count again, since it is being woken.
    mutating func stay() { count += 1 }

    /// Closes the pool, and returns the number of spare threads to wake.
    mutating func close() -> Int {
      isOver = true
      defer { spare = 0 }
      return spare
    }
  }
#endif
