import Streams

// The app's actions: sign-in, sign-out and replacement.
extension SessionMachine {
  /// Signs in.
  ///
  /// Everything that belongs to the previous user ends.
  mutating func signIn(
    _ credential: Credential, from source: IssuedCredential.Source = .given, at now: SessionInstant
  ) -> [SessionEffect] {
    leaveFlight()
    let waiters = close()
    ending = nil
    issue(credential, from: source, at: now)
    publish()
    return [.resume(waiters, .failure(.signedOut))] + endSignIn()
  }

  /// Begins a sign-in by a grant, which ends the previous sign-in.
  mutating func beginSignIn(_ attempt: SignInAttempt) -> [SessionEffect] {
    defer { signInAttempt = attempt }
    return endSignIn()
  }

  /// Completes a sign-in by a grant with its credential.
  ///
  /// - Returns: The effects, or nil if another sign-in has superseded this one.
  mutating func signIn(
    _ credential: Credential, endOf attempt: SignInAttempt, at now: SessionInstant
  ) -> [SessionEffect]? {
    guard signInAttempt === attempt else { return nil }
    signInAttempt = nil
    return signIn(credential, from: .signIn, at: now)
  }

  /// Ends a sign-in by a grant that was cancelled or failed.
  mutating func leaveSignIn(_ attempt: SignInAttempt) {
    if signInAttempt === attempt { signInAttempt = nil }
  }

  private mutating func endSignIn() -> [SessionEffect] {
    signInAttempt.take().map { [.stop($0)] } ?? []
  }

  /// Signs out.
  mutating func signOut() -> [SessionEffect] {
    let wasSignedIn = notices.mayBeSignedIn
    leaveFlight()
    let waiters = close()
    // A client that the server knows by itself starts again with its next call.
    ending = requiresSignIn ? .signedOut : nil
    if wasSignedIn { notices.append(.requested) }
    publish()
    return [.resume(waiters, .failure(.signedOut))] + endSignIn()
  }

  /// The credential that is signed in, or a newer one of the same user from the store.
  ///
  /// - Parameter found: The content of the store.
  func credential(
    insteadOf found: Result<Credential?, any Error>
  ) -> Result<Credential?, any Error> {
    guard ending == nil else { return .success(nil) }
    guard let held = current?.credential else { return found }
    guard unsaved == nil, let stored = try? found.get(), stored.account == held.account else {
      return .success(held)
    }
    return .success(stored)
  }

  /// Replaces the credential with a newer one of the same user.
  ///
  /// Calls in line continue with it.
  ///
  /// - Returns: Whether a user is signed in.
  mutating func replaceCredential(
    with credential: Credential, at now: SessionInstant
  ) -> Bool {
    // A store that was read and is empty has no user, as after a sign-out in another session.
    guard ending == nil, current != nil || !requiresSignIn || notices.mayBeSignedIn else {
      return false
    }
    leaveFlight()
    var credential = credential
    if credential.account == nil { credential.account = current?.credential.account }
    if credential.extras.isEmpty { credential.extras = current?.credential.extras ?? [:] }
    beginWriting()
    issue(credential, from: .given, at: now)
    publish()
    return true
  }

  /// Notes the result of writing a sign-in, a sign-out or a replacement.
  ///
  /// A later change takes precedence.
  mutating func didWrite(
    _ credential: Credential?, version: Int, isWritten: Bool, at now: SessionInstant
  ) -> [SessionEffect] {
    writerCount -= 1
    if version == self.version {
      if isWritten {
        stored = credential
        unsaved = nil
      } else if current != nil {
        unsaved = Unsaved(retryTime: now.uptime + options.cooldown, isSignIn: true)
      }
    }
    guard writerCount == 0 else { return [] }
    defer { left = [] }
    return left.map { .stop($0) } + serveLine(at: now)
  }

  /// Ends everything that belongs to the signed-in user.
  ///
  /// The caller writes the store next.
  ///
  /// - Returns: The waiting calls.
  mutating func close() -> [SessionWaiter] {
    beginEpoch()
    beginWriting()
    return line.takeAll()
  }

  /// Discards all knowledge about the store, and about the API's opinion of the token.
  private mutating func beginWriting() {
    version += 1
    writerCount += 1
    isReading = false
    unsaved = nil
    pause = nil
    refusals = NewTokenRefusals()
  }

  /// Makes the result of a running refresh irrelevant.
  private mutating func leaveFlight() {
    if let work = flight?.work { left.append(work) }
    flight = nil
  }
}

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
    _ number: Int, _ outcome: RefreshOutcome, at now: SessionInstant
  ) -> [SessionEffect] {
    guard let flight, flight.number == number else { return [] }
    self.flight = nil
    let released: [SessionEffect] = flight.work.map { [.stop($0)] } ?? []
    return released + follow(outcome, of: flight, at: now)
  }

  private mutating func follow(
    _ outcome: RefreshOutcome, of flight: Flight, at now: SessionInstant
  ) -> [SessionEffect] {
    switch outcome {
    case .renewed(let credential, let storing):
      pause = nil
      issue(credential, from: .refresh(flight.number), at: now)
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
    case .notGranted(.permanent(RefreshError.noRefreshToken)) where outlasts(flight, at: now):
      unrenewable = current
      return serveLine(at: now)
    case .notGranted(.permanent(let cause)):
      return end(because: cause)
    case .notGranted(.transient(let cause, let retryAfter)):
      let wait = Swift.min(
        Swift.max(options.cooldown, retryAfter ?? .zero), options.maximumCooldown)
      pause = Pause(end: now.uptime + wait, error: .refreshFailed(cause))
      return disappoint(.refreshFailed(cause), at: now)
    case .notGranted(.responseLost(let cause)):
      return disappoint(.refreshFailed(cause), at: now)
    case .failed(let error):
      return disappoint(error, at: now)
    }
  }

  /// Whether the credential that a refresh could not renew is still of use: it has not expired, and
  /// no call has found it refused.
  private func outlasts(_ flight: Flight, at now: SessionInstant) -> Bool {
    guard let current, !current.isExpired(at: now) else { return false }
    return !flight.followsRefusal && !line.holdsRefusal(of: current)
  }

  /// Adopts a credential that another session stored.
  private mutating func adopt(
    _ credential: Credential?, at now: SessionInstant
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
    _ error: TokenSessionError, at now: SessionInstant
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
  mutating func trySaving(at now: SessionInstant) -> SessionEffect? {
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
    _ saving: RefreshOrder.Saving, _ result: Result<Void, any Error>, at now: SessionInstant
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

/// An action that follows a change of a session's state and runs while no lock is held.
enum SessionEffect: Sendable {
  /// Resume these calls with a credential or a failure, in this order.
  case resume([SessionWaiter], SessionWaiter.Outcome)
  /// Read the store for the first time, or again after it was empty.
  case read(version: Int)
  /// Begin a refresh.
  case refresh(RefreshOrder)
  /// Store the token that could not be stored before.
  case save(RefreshOrder.Saving)
  /// Remove a credential from the store, if it is still there.
  case forget(Credential?, version: Int)
  /// Cancel work that is no longer needed.
  case stop(any Cancellable)
}

/// The inputs of a refresh.
struct RefreshOrder: Sendable {
  /// Counts the refreshes of a session, from 1.
  let number: Int
  /// The credential to renew, or nil for a grant that requires no sign-in.
  let credential: Credential?
  /// The known content of the store.
  ///
  /// Another content means that another session changed it.
  let stored: Credential?
  /// Whether a sign-in has not been stored yet.
  ///
  /// Any content of the store is older than that sign-in.
  let isSignInUnsaved: Bool
  /// The number of the app's changes so far: see ``SessionMachine/version``.
  let version: Int

  /// The inputs of a repeated attempt to store a token.
  struct Saving: Sendable {
    let version: Int
    let credential: Credential
    let stored: Credential?
    /// Whether the credential replaces any content of the store.
    let isSignIn: Bool
  }
}

/// The outcome of a refresh.
enum RefreshOutcome: Sendable {
  /// The refresh brought a credential; the result tells whether it was stored.
  case renewed(Credential, stored: Result<Void, any Error>)
  /// The store has another content than this session stored there; nil if it is empty.
  case changedElsewhere(Credential?)
  /// The grant brought no token.
  case notGranted(GrantError)
  /// The session could not request a token or could not wait longer. Calls fail with this error.
  case failed(TokenSessionError)
}
