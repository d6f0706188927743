import Fixtures
import Streams

extension SharingWorld {
  /// What may no longer be used.
  struct Knowledge: Sendable {
    /// The edition of each road's path that an app itself has made.
    var editions: [[Int]]
    /// What may be used was confirmed after this.
    var removal = Duration.seconds(-1)

    mutating func merge(_ other: Self) {
      for (road, paths) in other.editions.enumerated() {
        for (path, edition) in paths.enumerated() {
          editions[road][path] = max(editions[road][path], edition)
        }
      }
      removal = max(removal, other.removal)
    }
  }

  /// A response that calls must find, until a time.
  struct Find: Sendable {
    let end: Duration
    let process: Int
    /// Whether it is in the folder.
    var isWritten: Bool
  }

  struct State: Sendable {
    var processes: [Int: Process] = [:]
    var starts = 0
    var next = 0
    /// The user of each session.
    var users: [Int?]
    /// Counts the users of each session.
    var epochs: [Int]
    var calls: [SharingCall] = []
    /// What each process has changed.
    var own: [Knowledge]
    /// What each process that has nothing left to write knows from the folder.
    var written: Knowledge
    /// Counts changes and removals.
    var changes = 0
    /// The responses that only one call may get.
    var unique: Set<String> = []
    var finds: [SharingCall.Place: Find] = [:]
    /// The paths whose changes each process has under way, or has still to write: what is stored of
    /// them may be removed at any moment.
    var changing: [[Int]]
    /// The paths whose changes have ended.
    var changed: [[Int]]
    /// The number of subscribers that block.
    var blocked = 0
    var failure: (any Error)?
  }
}

extension SharingWorld.State {
  /// Another user is signed in now, or no user.
  mutating func turn(_ session: Int, to user: Int?) {
    users[session] = user
    epochs[session] += 1
  }

  /// Whether a process was not killed.
  func lives(_ process: SharingWorld.Process, as number: Int) -> Bool {
    processes[number]?.line === process.line
  }

  /// What is stored of some paths may be removed from now on.
  mutating func noteChange(of isChanged: (Int) -> Bool) {
    changes += 1
    finds = finds.filter { !isChanged($0.key.path) }
  }

  /// A process has nothing left to write.
  mutating func noteWritten(by process: Int) {
    written.merge(own[process])
    for path in exchange(&changed[process], with: []) {
      if let place = changing[process].firstIndex(of: path) { changing[process].remove(at: place) }
    }
    for (place, find) in finds where find.process == process && place.isOfFolder {
      finds[place]?.isWritten = true
    }
  }

  /// What a process must know.
  ///
  /// What it has still to write is compared with the folder only then.
  func knowledge(of process: Int) -> SharingWorld.Knowledge {
    var knowledge = own[process]
    if processes[process]?.line.isIdle == true { knowledge.merge(written) }
    return knowledge
  }

  /// Whether a call of a process must find a response.
  func finds(_ place: SharingCall.Place, in process: Int, at now: Duration) -> Bool {
    guard let find = finds[place], now < find.end else { return false }
    return find.process == process
      || find.isWritten && processes[process]?.line.isIdle == true
  }
}
