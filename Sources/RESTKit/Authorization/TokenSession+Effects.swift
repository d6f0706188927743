import Foundation
import Streams

// Where a session does what its machine says, with no lock held.
extension TokenSession {
  /// Changes the state, and does what follows.
  func update(_ change: (inout SessionMachine, SessionMoment) -> [SessionEffect]) {
    let now = self.now
    perform(machine.withLock { change(&$0, now) })
  }

  func perform(_ effects: [SessionEffect]) {
    tell()
    for effect in effects {
      switch effect {
      case .resume(let waiters, let outcome):
        for waiter in waiters { waiter.resume(outcome) }
      case .read(let version):
        let result = Result { try store.read() }
        update { $0.didRead(result, version: version, at: $1) }
      case .refresh(let order):
        refresh(order)
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

  /// Tells those who watch, in order: who finds somebody telling leaves it to them.
  private func tell() {
    guard machine.withLock({ $0.notices.begin() }) else { return }
    while let notice = machine.withLock({ $0.notices.next() }) {
      switch notice {
      case .state(let state): states.send(state)
      case .signOut(let cause): endings.send(cause)
      }
    }
  }

  private func refresh(_ order: RefreshOrder) {
    let finish: @Sendable (RefreshOutcome) -> Void = { [self] outcome in
      update { $0.didRefresh(order.number, outcome, at: $1) }
    }
    let timer = scheduler.schedule(after: options.refreshTimeout) { finish(.failed(.timedOut)) }
    let run = RefreshRun(order: order, session: self).outcome.sink(
      receiveCompletion: { _ in
        finish(.failed(.grant(.transient(RefreshError.noAnswer))))
      }, receiveValue: finish)
    let work = AnyCancellable {
      timer.cancel()
      run.cancel()
    }
    machine.withLock { $0.hold(work, ofFlight: order.number) }?.cancel()
  }

  // MARK: The store

  /// Writes what is true, and again for as long as that changed meanwhile: whoever writes last
  /// writes the latest.
  func writeThrough() throws {
    var isLatest = false
    while !isLatest {
      let (credential, version) = machine.withLock { ($0.current?.credential, $0.version) }
      let result = Result { try store.write(credential) }
      isLatest = didWrite(credential, version: version, result)
      if isLatest { try result.get() }
    }
  }

  private func forget(_ credential: Credential?, version: Int) {
    let result = Result {
      if let credential, try store.read() == credential { try store.write(nil) }
    }
    // A store that fails here keeps a credential that the server refuses: the next session to read
    // it will be told the same.
    if !didWrite(nil, version: version, result) { try? writeThrough() }
  }

  private func didWrite(
    _ credential: Credential?, version: Int, _ result: Result<Void, any Error>
  ) -> Bool {
    let now = self.now
    let isWritten = (try? result.get()) != nil
    let (isLatest, effects) = machine.withLock {
      $0.didWrite(credential, version: version, isWritten: isWritten, at: now)
    }
    perform(effects)
    return isLatest
  }

  private func save(_ saving: RefreshOrder.Saving) throws {
    guard let stored = saving.stored else { return try store.write(saving.credential) }
    // Where somebody else was here, the next refresh finds what they left.
    _ = try store.replace(stored, with: saving.credential)
  }
}
