import Streams

// The end of a refresh, and its consequences.
extension SessionMachine {
  /// Keeps the work of a refresh that has begun, so that it can be stopped.
  ///
  /// - Returns: The work if the refresh is already over.
  mutating func hold(_ work: any Cancellable, ofFlight number: Int) -> (any Cancellable)? {
    guard flight?.number == number else {
      guard writerCount > 0 else { return work }
      left.append(work)
      return nil
    }
    flight?.work = work
    return nil
  }

  /// Ends a refresh with its outcome.
  mutating func didRefresh(
    _ number: Int, _ outcome: RefreshOutcome, at now: SessionMoment
  ) -> [SessionEffect] {
    guard let flight, flight.number == number else { return [] }
    self.flight = nil
    let released: [SessionEffect] = flight.work.map { [.stop($0)] } ?? []
    return released + follow(outcome, of: number, at: now)
  }

  private mutating func follow(
    _ outcome: RefreshOutcome, of number: Int, at now: SessionMoment
  ) -> [SessionEffect] {
    switch outcome {
    case .renewed(let credential, let storing):
      pause = nil
      issue(credential, from: .refresh(number), at: now)
      switch storing {
      case .success:
        stored = credential
        unsaved = nil
        return serveLine(at: now)
      case .failure(let error):
        unsaved = Unsaved(
          retryTime: now.uptime + options.cooldown, isSignIn: unsaved?.isSignIn == true)
        publish()
        return [.resume(line.takeAll(), .failure(.storeNotWritable(error)))]
      }
    case .changedElsewhere(let credential):
      return adopt(credential, at: now)
    case .notGranted(.permanent(let cause)):
      return end(because: cause)
    case .notGranted(.transient(let cause, let retryAfter)):
      let wait = Swift.min(
        Swift.max(options.cooldown, retryAfter ?? .zero), options.maximumCooldown)
      pause = Pause(end: now.uptime + wait, error: .refreshFailed(cause))
      return disappoint(.refreshFailed(cause), at: now)
    case .notGranted(.answerLost(let cause)):
      return disappoint(.refreshFailed(cause), at: now)
    case .failed(let error):
      return disappoint(error, at: now)
    }
  }

  /// Adopts a credential that another session stored.
  private mutating func adopt(
    _ credential: Credential?, at now: SessionMoment
  ) -> [SessionEffect] {
    stored = credential
    unsaved = nil
    pause = nil
    guard let credential, credential.account == current?.credential.account || current == nil
    else {
      let hadSession = current != nil
      beginEpoch()
      if let credential { issue(credential, from: .given, at: now) }
      if hadSession { notices.append(.elsewhere) }
      publish()
      return [.resume(line.takeAll(), .failure(.signedOut))]
    }
    issue(credential, from: .elsewhere, at: now)
    return serveLine(at: now)
  }

  /// Ends the session, since the server does not renew the credential.
  private mutating func end(because cause: any Error) -> [SessionEffect] {
    let dead = stored
    let waiters = close()
    ending = .expired
    notices.append(.refused(cause))
    publish()
    return [
      .forget(dead, version: version), .resume(waiters, .failure(.refreshRefused(cause))),
    ]
  }

  /// Serves the line without a new token.
  ///
  /// Calls that were refused with the present credential fail; the others continue with it until it
  /// expires.
  mutating func disappoint(
    _ error: TokenSessionError, at now: SessionMoment
  ) -> [SessionEffect] {
    publish()
    guard let current, !current.isExpired(at: now) else {
      return [.resume(line.takeAll(), .failure(error))]
    }
    let waiters = line.takeAll()
    return [
      .resume(waiters.filter { $0.refused === current }, .failure(error)),
      .resume(waiters.filter { $0.refused !== current }, .success(current)),
    ]
  }

  // MARK: A token that is in memory only

  /// Tries again to store the token, if it is time.
  mutating func trySaving(at now: SessionMoment) -> SessionEffect? {
    guard let unsaved, let time = unsaved.retryTime, time <= now.uptime, let current else {
      return nil
    }
    self.unsaved?.retryTime = nil
    return .save(
      RefreshOrder.Saving(
        version: version, credential: current.credential, stored: stored,
        isSignIn: unsaved.isSignIn))
  }

  mutating func didSave(
    _ saving: RefreshOrder.Saving, _ result: Result<Void, any Error>, at now: SessionMoment
  ) -> [SessionEffect] {
    guard version == saving.version, unsaved?.isBeingSaved == true else { return [] }
    switch result {
    case .success:
      stored = saving.credential
      unsaved = nil
    case .failure:
      let retryTime = now.uptime + options.cooldown
      unsaved?.retryTime = retryTime
    }
    return serveLine(at: now)
  }
}
