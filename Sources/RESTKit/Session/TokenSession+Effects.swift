import Foundation
import Streams

// Runs the effects of the session's state machine, while no lock is held.
extension TokenSession {
  /// Changes the state and runs the effects.
  ///
  /// - Parameter call: The call that caused the change, or nil if there is none.
  func update(
    for call: LogicalCall? = nil,
    _ change: (inout SessionMachine, SessionMoment) -> [SessionEffect]
  ) {
    let now = self.now
    perform(machine.withLock { change(&$0, now) }, for: call)
  }

  func perform(_ effects: [SessionEffect], for call: LogicalCall? = nil) {
    tell()
    for effect in effects {
      switch effect {
      case .resume(let waiters, let outcome):
        for waiter in waiters { waiter.resume(outcome) }
      case .read(let version):
        let result = Result { try store.read() }
        update(for: call) { $0.didRead(result, version: version, at: $1) }
      case .refresh(let order):
        refresh(order, for: call)
      case .save(let saving):
        let result = Result { try save(saving) }
        update { $0.didSave(saving, result, at: $1) }
      case .forget(let credential, let version):
        forget(credential, version: version)
      case .stop(let work):
        work.cancel()
      }
    }
  }

  /// Delivers the notices to observers, in order.
  ///
  /// A thread that finds another one delivering leaves the rest to it.
  private func tell() {
    guard machine.withLock({ $0.notices.begin() }) else { return }
    while let notice = machine.withLock({ $0.notices.next() }) {
      switch notice {
      case .state(let state): states.send(state)
      case .signOut(let cause): endings.send(cause)
      case .over(let span): span.tellIsOver()
      }
    }
  }

  private func refresh(_ order: RefreshOrder, for call: LogicalCall?) {
    let finish: @Sendable (RefreshOutcome) -> Void = { [self] outcome in
      update { $0.didRefresh(order.number, outcome, at: $1) }
    }
    let outcome = RefreshRun(order: order, session: self).outcome
      .context(CallJournal.ParentKey.self, call?.journal)
    let run = outcome.sink(
      receiveCompletion: { _ in
        finish(.notGranted(.transient(RefreshError.noAnswer)))
      }, receiveValue: finish)
    machine.withLock { $0.hold(run, ofFlight: order.number) }?.cancel()
  }

  // MARK: The store

  /// Writes the app's change, in place of any content.
  func writeThrough() throws {
    let (credential, version) = machine.withLock { ($0.current?.credential, $0.version) }
    let result = Result { try write(credential, version: version) }
    update {
      $0.didWrite(credential, version: version, isWritten: (try? result.get()) != nil, at: $1)
    }
    try result.get()
  }

  private func write(_ credential: Credential?, version: Int) throws {
    try store.write(credential)
    correct(credential, ofVersion: version)
  }

  /// Corrects the store after a write for an older state: a sign-in or a sign-out may have happened, and have
  /// been written, in the meantime.
  ///
  /// It does not touch the changes of others.
  func correct(_ stored: Credential?, ofVersion version: Int) {
    var (stored, version) = (stored, version)
    while true {
      let latest = machine.withLock { ($0.current?.credential, $0.version) }
      guard latest.1 != version else { return }
      // If the store fails here, it also failed for the caller that signed in or out, which got the error.
      _ = try? store.replace(stored, with: latest.0)
      (stored, version) = latest
    }
  }

  private func forget(_ credential: Credential?, version: Int) {
    let result = Result { if let credential { _ = try store.replace(credential, with: nil) } }
    // A store that fails here keeps a credential that the server refuses. The next session that reads it gets
    // the same refusal.
    update { $0.didWrite(nil, version: version, isWritten: (try? result.get()) != nil, at: $1) }
  }

  private func save(_ saving: RefreshOrder.Saving) throws {
    if saving.isSignIn {
      try write(saving.credential, version: saving.version)
    } else if try store.replace(saving.stored, with: saving.credential) {
      correct(saving.credential, ofVersion: saving.version)
    }
    // If another session changed the store, the next refresh finds that change.
  }
}
