import Streams

// The app's actions: sign-in, sign-out and replacement.
extension SessionMachine {
  /// Signs in.
  ///
  /// Everything that belongs to the previous user ends.
  mutating func signIn(_ credential: Credential, at now: SessionMoment) -> [SessionEffect] {
    leaveFlight()
    let waiters = close()
    ending = nil
    issue(credential, from: .given, at: now)
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
    _ credential: Credential, endOf attempt: SignInAttempt, at now: SessionMoment
  ) -> [SessionEffect]? {
    guard signInAttempt === attempt else { return nil }
    signInAttempt = nil
    return signIn(credential, at: now)
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
    with credential: Credential, at now: SessionMoment
  ) -> Bool {
    // A store that was read and is empty has no user, as after a sign-out in another session.
    guard ending == nil, current != nil || !requiresSignIn || notices.mayBeSignedIn else {
      return false
    }
    leaveFlight()
    var credential = credential
    if credential.account == nil { credential.account = current?.credential.account }
    beginWriting()
    issue(credential, from: .given, at: now)
    publish()
    return true
  }

  /// Notes the result of writing a sign-in, a sign-out or a replacement.
  ///
  /// A later change takes precedence.
  mutating func didWrite(
    _ credential: Credential?, version: Int, isWritten: Bool, at now: SessionMoment
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
