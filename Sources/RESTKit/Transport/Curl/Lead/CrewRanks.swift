#if os(Linux)
  /// How many threads an engine has, and how many of them wait to be called.
  struct CrewRanks: Sendable {
    /// How a thread is called.
    enum Call: Equatable {
      /// One that waits is to be woken.
      case ring
      /// One is to be started.
      case hire
      /// There are as many as may be, and none waits.
      case nobody(warns: Bool)
    }

    private let limit: Int
    /// The threads, without those that are about to end.
    private(set) var count = 1
    private(set) var spare = 0
    private(set) var isOver = false
    /// Whether something could not be delivered for want of a thread.
    private var isShort = false
    private var hasWarned = false

    init(limit: Int) { self.limit = limit }

    /// Calls a thread, which is to watch.
    mutating func call() -> Call {
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

    /// Takes a thread back that users held up; whether it was wanted meanwhile.
    ///
    /// - Parameter isSpare: Whether it waits to be called.
    mutating func takeBack(isSpare: Bool) -> Bool {
      if isSpare { spare += 1 }
      defer { isShort = false }
      return isShort
    }

    /// Lets a thread go that waited to be called; false where it is being called.
    mutating func leave() -> Bool {
      guard spare > 0 else { return false }
      spare -= 1
      count -= 1
      return true
    }

    /// Lets the watcher go before it gives its place up: who finds that empty has to find room for
    /// another thread, too.
    mutating func leaveWatch() { count -= 1 }

    /// Takes the watcher back, which is being woken.
    mutating func stay() { count += 1 }

    /// Ends all; how many wait, and are to be woken for it.
    mutating func close() -> Int {
      isOver = true
      defer { spare = 0 }
      return spare
    }
  }
#endif
