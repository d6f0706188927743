#if os(Linux)
  import Fixtures
  import StreamsTesting

  @testable import HTTPTransport
  @testable import RESTKit

  /// Threads that share a `Leadership` and the pool's size, and take a step each in an order by
  /// seed.
  ///
  /// Their steps are those of `LeaderFollowerPool`: one change of the word, of the size or of a
  /// bell each.
  struct SimulatedPool {
    /// The step after a call.
    private enum Purpose {
      case toDeliver
      /// The watcher left between the look for it and the delivery.
      case toBegin
    }

    private enum Step {
      case leading
      case called(Purpose)
      case short(Purpose)
      case beginning
      case delivering(UInt64)
      /// A user holds it up: the number of steps that are left.
      case heldUp(UInt64, Int)
      /// Sleeps, since no thread could watch the waiting work.
      case asleep
      case closing
      case back
      case returning(isWatcher: Bool)
      case watching(Leadership.Memory)
      case lying(Leadership.Memory)
      case leavingWatch(Leadership.Memory)
      case staying(Leadership.Memory)
      case awaitingWatcherBell(Leadership.Memory)
      case spare
      case awaitingSpareBell
      case gone

      var isGone: Bool { if case .gone = self { true } else { false } }
    }

    private let limit: Int
    private var generator: SeededGenerator
    private var lead = Leadership()
    private var size: PoolSize
    private var watcherBell = 0
    private var spareBell = 0
    private var welcomes = 0
    private var threads: [Step] = [.leading]
    private var isClosing = false
    private(set) var problems: [String] = []
    private(set) var delivered = 0

    init(limit: Int, seed: Int) {
      self.limit = limit
      size = PoolSize(limit: limit)
      generator = SeededGenerator(seed: UInt64(seed))
    }

    var atWork: Int { threads.count { !$0.isGone } }

    mutating func step() {
      let live = threads.indices.filter { !threads[$0].isGone }
      guard let index = live.randomElement(using: &generator) else { return }
      advance(index)
      check()
    }

    /// Ends the engine, and has all threads come to their end.
    mutating func finish() {
      isClosing = true
      for _ in 0..<20_000 where atWork > 0 { step() }
      if (watcherBell, spareBell) != (0, 0) { problems.append("a bell rings for nobody") }
    }

    private mutating func isOneIn(_ count: Int) -> Bool {
      Int.random(in: 0..<count, using: &generator) == 0
    }

    private mutating func advance(_ index: Int) {
      switch threads[index] {
      case .leading:
        if isClosing {
          if lead.close() { watcherBell += 1 }
          threads[index] = .closing
        } else if isOneIn(2) {
          threads[index] = look(.toDeliver)
        }
      case .called(let purpose): threads[index] = call(purpose)
      case .short(let purpose):
        lead.giveWatchBack()
        // Work that is about to begin has left its queue.
        if case .toBegin = purpose { problems.append("there is nobody for what is to begin") }
        threads[index] = .asleep
      case .asleep:
        if isClosing || welcomes > 0 {
          welcomes = 0
          threads[index] = .leading
        }
      case .beginning: threads[index] = begin()
      case .heldUp(let number, let left) where left > 0:
        threads[index] = .heldUp(number, left - 1)
      case .delivering(let number), .heldUp(let number, _):
        delivered += 1
        threads[index] = lead.end(number) ? .leading : .back
      case .closing:
        spareBell += size.close()
        threads[index] = .gone
      case .back:
        threads[index] = .returning(isWatcher: lead.takeWatch())
      case .returning(let isWatcher):
        if size.takeBack(isSpare: !isWatcher) { welcomes += 1 }
        threads[index] =
          isWatcher ? .watching(Leadership.Memory()) : size.isOver ? .gone : .spare
      default: advance(watcher: index)
      }
    }

    private mutating func advance(watcher index: Int) {
      switch threads[index] {
      case .watching(var memory):
        switch lead.look(&memory) {
        case .again: threads[index] = .watching(memory)
        case .lead: threads[index] = .leading
        case .lieDown: threads[index] = .lying(memory)
        case .leave: threads[index] = .gone
        }
      case .lying(let memory):
        if watcherBell > 0 {
          watcherBell -= 1
          threads[index] = .watching(memory)
        } else if isOneIn(4) {
          size.leaveWatch()
          threads[index] = .leavingWatch(memory)
        }
      case .leavingWatch(let memory):
        threads[index] = lead.leaveWatch() ? .gone : .staying(memory)
      case .staying(let memory):
        size.stay()
        threads[index] = .awaitingWatcherBell(memory)
      case .awaitingWatcherBell(let memory):
        guard watcherBell > 0 else { return }
        watcherBell -= 1
        threads[index] = .watching(memory)
      case .spare where spareBell == 0:
        if isOneIn(16) { threads[index] = size.leave() ? .gone : .awaitingSpareBell }
      case .spare, .awaitingSpareBell:
        guard spareBell > 0 else { return }
        spareBell -= 1
        threads[index] = size.isOver ? .gone : .watching(Leadership.Memory())
      default: break
      }
    }

    /// Looks for a watcher.
    private mutating func look(_ purpose: Purpose) -> Step {
      if lead.takeWatch() { return .called(purpose) }
      return .beginning
    }

    private mutating func call(_ purpose: Purpose) -> Step {
      switch size.reinforce() {
      case .ring: spareBell += 1
      case .hire: threads.append(.watching(Leadership.Memory()))
      case .nobody:
        if heldUp != limit - 1 { problems.append("\(heldUp) are held up, and there is nobody") }
        return .short(purpose)
      }
      return .beginning
    }

    private mutating func begin() -> Step {
      switch lead.begin() {
      case .refused: return look(.toBegin)
      case .alone: problems.append("a delivery is alone")
      case .wake: watcherBell += 1
      case .watched: break
      }
      return isOneIn(4)
        ? .heldUp(lead.number, Int.random(in: 1...60, using: &generator))
        : .delivering(lead.number)
    }

    /// The threads that users hold up, or that are on their way back.
    private var heldUp: Int {
      threads.count {
        switch $0 {
        case .delivering(let number), .heldUp(let number, _): !isLeading(number)
        case .back, .returning: true
        default: false
        }
      }
    }

    /// Whether who delivers that leads; one that lost the lead does not know yet.
    private func isLeading(_ number: UInt64) -> Bool {
      lead.isDelivering && lead.number == number
    }

    private mutating func check() {
      var leaders = 0
      var watchers = 0
      for thread in threads {
        switch thread {
        case .leading, .beginning: leaders += 1
        case .called, .short:
          leaders += 1
          watchers += 1
        case .delivering(let number), .heldUp(let number, _):
          if isLeading(number) { leaders += 1 }
        case .asleep:
          leaders += 1
          if welcomes == 0, heldUp < limit - 1 { problems.append("nobody wakes the leader") }
        case .watching, .lying, .leavingWatch, .staying, .awaitingWatcherBell,
          .returning(isWatcher: true):
          watchers += 1
        default: break
        }
      }
      if leaders != (lead.isOver ? 0 : 1) { problems.append("\(leaders) lead") }
      if watchers > 1 { problems.append("\(watchers) watch") }
      if atWork > limit { problems.append("\(atWork) threads") }
    }
  }
#endif
