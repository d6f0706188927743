import Streams

// What the app does: signing in and out.
extension SessionMachine {
  /// Somebody signs in: what belongs to who was there before ends.
  mutating func signIn(_ credential: Credential, at now: SessionMoment) -> [SessionEffect] {
    leaveFlight()
    let waiters = close()
    ending = nil
    issue(credential, from: .given, at: now)
    publish()
    return [.resume(waiters, .failure(.signedOut))] + endSignIn()
  }

  /// A sign-in by a grant begins: the one before it ends.
  mutating func beginSignIn(_ attempt: SignInAttempt) -> [SessionEffect] {
    defer { signInAttempt = attempt }
    return endSignIn()
  }

  /// A sign-in by a grant has its credential.
  ///
  /// - Returns: nil where another one has taken its place.
  mutating func signIn(
    _ credential: Credential, endOf attempt: SignInAttempt, at now: SessionMoment
  ) -> [SessionEffect]? {
    guard signInAttempt === attempt else { return nil }
    signInAttempt = nil
    return signIn(credential, at: now)
  }

  /// A sign-in by a grant was cancelled, or has failed.
  mutating func leaveSignIn(_ attempt: SignInAttempt) {
    if signInAttempt === attempt { signInAttempt = nil }
  }

  private mutating func endSignIn() -> [SessionEffect] {
    signInAttempt.take().map { [.stop($0)] } ?? []
  }

  /// Somebody signs out.
  mutating func signOut() -> [SessionEffect] {
    let wasSignedIn = notices.mayBeSignedIn
    leaveFlight()
    let waiters = close()
    // A client that the server knows by itself begins anew with its next call.
    ending = requiresSignIn ? .signedOut : nil
    if wasSignedIn { notices.append(.requested) }
    publish()
    return [.resume(waiters, .failure(.signedOut))] + endSignIn()
  }

  /// What is signed in, where the store holds something newer of the same user.
  ///
  /// - Parameter found: What the store holds.
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

  /// The app has a newer credential of who is signed in: calls in line go on with it.
  ///
  /// - Returns: Whether somebody is signed in.
  mutating func replaceCredential(
    with credential: Credential, at now: SessionMoment
  ) -> Bool {
    guard ending == nil else { return false }
    leaveFlight()
    var credential = credential
    if credential.account == nil { credential.account = current?.credential.account }
    beginWriting()
    issue(credential, from: .given, at: now)
    publish()
    return true
  }

  /// A sign-in, a sign-out or a replacement was written; what came after it counts more.
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

  /// Ends what belongs to who was signed in; the store is to be written next.
  ///
  /// - Returns: The calls that waited.
  mutating func close() -> [SessionWaiter] {
    beginEpoch()
    beginWriting()
    return line.takeAll()
  }

  /// What was known of the store, and of what the API thinks of the token, is past.
  private mutating func beginWriting() {
    version += 1
    writerCount += 1
    isReading = false
    unsaved = nil
    pause = nil
    refusals = NewTokenRefusals()
  }

  /// What a refresh brings counts no more.
  private mutating func leaveFlight() {
    if let work = flight?.work { left.append(work) }
    flight = nil
  }
}
