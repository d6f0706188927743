import Streams

/// The wait of a call for a credential.
typealias CredentialWait = CallWait<IssuedCredential>

extension CredentialWait {
  /// - Parameter refused: The credential that the API refused, or nil for a call whose request has not been
  ///   sent.
  convenience init(
    for call: LogicalCall, after refused: IssuedCredential? = nil, in session: TokenSession
  ) {
    let place = session.machine.withLock { $0.takePlace() }
    self.init { wait in
      let waiter = SessionWaiter(id: place, refused: refused) { outcome in
        if case .success(let credential) = outcome, let number = credential.refreshNumber {
          call.journal.record(.refreshed(number))
        }
        wait.end(with: outcome.mapError { $0 })
      }
      let now = session.now
      let (effects, flight) = session.machine.withLock { machine in
        let effects =
          refused == nil ? machine.begin(waiter, at: now) : machine.renew(waiter, at: now)
        return (effects, machine.flight?.number)
      }
      if let flight { call.journal.record(.joinedRefresh(flight)) }
      session.perform(effects, for: call)
    } leave: { _ in
      let released = session.machine.withLock { $0.leave(place) }
      withExtendedLifetime(released) {}
    }
  }
}
