import Streams

// What the app does: signing in and out.
extension SessionMachine {
  /// Somebody signs in: what belongs to who was there before ends.
  mutating func signIn(_ credential: Credential, at now: SessionMoment) -> [SessionEffect] {
    let effects = stopFlight() + [.resume(close(), .failure(.signedOut))]
    ending = nil
    issue(credential, from: .app, at: now)
    publish()
    return effects
  }

  /// Somebody signs out.
  mutating func signOut() -> [SessionEffect] {
    let wasSignedIn = notices.mayBeSignedIn
    let effects = stopFlight() + [.resume(close(), .failure(.signedOut))]
    // A client that the server knows by itself begins anew with its next call.
    ending = needsNoSignIn ? nil : .signedOut
    if wasSignedIn { notices.append(.requested) }
    publish()
    return effects
  }

  /// The app has a newer credential of who is signed in: calls in line go on with it.
  ///
  /// - Returns: nil where nobody is signed in.
  mutating func replaceCredential(
    with credential: Credential, at now: SessionMoment
  ) -> [SessionEffect]? {
    guard ending == nil else { return nil }
    let stopped = stopFlight()
    var credential = credential
    if credential.account == nil { credential.account = current?.credential.account }
    beginWriting()
    issue(credential, from: .app, at: now)
    publish()
    return stopped
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
    return serveLine(at: now)
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

  private mutating func stopFlight() -> [SessionEffect] {
    defer { flight = nil }
    return (flight?.work).map { [.stop($0)] } ?? []
  }
}
