import Foundation
import Streams

/// The state of a session.
///
/// Each event has a function, which returns the effects of the event. The state machine itself
/// calls nothing outside.
///
///     calls                the app               what the effects end with
///     begin, renew         signIn, signOut       didRead, didRefresh
///     ready, leave         replaceCredential     didWrite, didSave
///            │                    │                     │                    ▲
///            ▼                    ▼                     ▼                    │
///     ┌ SessionMachine, in the lock of TokenSession ────────────────────┐    │
///     │ user      epoch, span, current, ending      another number:     │    │
///     │                                             another user        │    │
///     │ store     version, stored, unsaved          the app's last      │    │
///     │           isReading, writerCount            change counts       │    │
///     │ refresh   flight, left, pause, refusals     one at a time       │    │
///     │ sign-in   signInAttempt                     the last one        │    │
///     │ waits     line                              in order            │    │
///     │ told      notices                           in order            │    │
///     └────────────────────────────────┬────────────────────────────────┘    │
///                                      │ [SessionEffect]                     │
///                                      ▼                                     │
///     TokenSession.perform, outside of the lock: tell the notices, resume ───┘
///     waiters, read, save and forget at the TokenStore, run a RefreshRun
struct SessionMachine: Sendable {
  /// The reason why calls are refused until the next sign-in.
  enum Ending: Sendable {
    case signedOut
    case expired
  }

  /// A running refresh.
  struct Flight: Sendable {
    let number: Int
    /// Whether the API has refused the credential that it renews.
    let followsRefusal: Bool
    /// The subscription that stops the refresh.
    var work: (any Cancellable)?
  }

  /// A time without refreshes, with the error that calls get meanwhile.
  struct Pause: Sendable {
    let end: Duration
    let error: TokenSessionError
  }

  /// The state of a token that is in memory only.
  struct Unsaved: Sendable {
    /// The time of the next attempt, or nil while an attempt runs.
    var retryTime: Duration?
    /// Whether the app signed in with it; the store may hold another user's credential then.
    let isSignIn: Bool

    var isBeingSaved: Bool { retryTime == nil }
  }

  let tag: SessionTag
  let options: TokenSessionOptions
  let requiresSignIn: Bool

  /// The number of sign-ins and sign-outs so far.
  ///
  /// Another number means another user, or none.
  private(set) var epoch = 0
  private var span: SignInSpan
  /// The number of the app's changes to the store, so that only the latest one counts.
  var version = 0
  var current: IssuedCredential?
  /// The credential for which the grant has no refresh token.
  ///
  /// It is used until it expires or is refused.
  var unrenewable: IssuedCredential?
  var ending: Ending?
  var stored: Credential?
  var unsaved: Unsaved?
  var isReading = false
  /// The number of sign-ins and sign-outs that are being written.
  var writerCount = 0
  var flight: Flight?
  /// Refreshes whose results no longer count.
  ///
  /// They keep the turn at the store until the app's change is written, so that the next turn finds
  /// it.
  var left: [any Cancellable] = []
  /// The running sign-in by a grant that began last.
  var signInAttempt: SignInAttempt?
  var pause: Pause?
  var line = WaitingLine()
  var refusals = NewTokenRefusals()
  var notices = SessionNotices()
  private var issuedCount = 0
  private var flightCount = 0
  private var waiterCount = 0

  init(tag: SessionTag, options: TokenSessionOptions, requiresSignIn: Bool) {
    self.tag = tag
    span = SignInSpan(of: tag)
    self.options = options
    self.requiresSignIn = requiresSignIn
  }

  // MARK: Calls

  /// The credential that a new call can use at once, or nil if ``begin(_:at:)`` has to decide.
  func usable(at now: SessionInstant) -> IssuedCredential? {
    guard let current, flight == nil, unsaved == nil, !isDue(current, at: now) else { return nil }
    return current
  }

  /// The credential with which a request can leave at once, or nil if it has to wait.
  ///
  /// While refreshes pause, and after one that brought nothing, a credential is used until it
  /// expires.
  ///
  /// - Parameter granted: The credential that the request has waited for; nil if it has not waited.
  mutating func ready(at now: SessionInstant, after granted: IssuedCredential?) -> IssuedCredential?
  {
    if let credential = usable(at: now) { return credential }
    guard ending == nil, !isBusy, let current, !current.isExpired(at: now) else { return nil }
    if current === granted { return current }
    return unsaved == nil && pause(at: now) != nil ? current : nil
  }

  /// Begins a call, which needs a credential.
  mutating func begin(_ waiter: SessionWaiter, at now: SessionInstant) -> [SessionEffect] {
    guard ending == nil else { return [.resume([waiter], .failure(.signedOut))] }
    if waiter.wantsUser, let current { return [.resume([waiter], .success(current))] }
    if isBusy {
      line.append(waiter)
      return []
    }
    guard let current else {
      line.append(waiter)
      return read()
    }
    if let saving = trySaving(at: now) {
      line.append(waiter)
      return [saving]
    }
    guard isDue(current, at: now) else { return [.resume([waiter], .success(current))] }
    if let pause = pause(at: now) {
      let outcome: SessionWaiter.Outcome =
        current.isExpired(at: now) ? .failure(pause.error) : .success(current)
      return [.resume([waiter], outcome)]
    }
    line.append(waiter)
    return startFlight()
  }

  /// Handles a call that needs another credential because the API refused one.
  mutating func renew(_ waiter: SessionWaiter, at now: SessionInstant) -> [SessionEffect] {
    guard let refused = waiter.refused, refused.epoch == epoch, ending == nil else {
      return [.resume([waiter], .failure(.signedOut))]
    }
    guard !isBusy, let current, current === refused else { return begin(waiter, at: now) }
    if let pause = pause(at: now) { return [.resume([waiter], .failure(pause.error))] }
    line.append(waiter)
    return startFlight()
  }

  /// Notes that the API refused a credential.
  mutating func noteRefusal(of refused: IssuedCredential, at now: SessionInstant) {
    guard refused === current, refused.refreshNumber != nil else { return }
    if refused.wasAccepted {
      refusals = NewTokenRefusals()
    } else {
      refusals.note(refused.number, at: now.uptime)
      if refusals.count(at: now.uptime, within: options.refusalWindow) >= options.refusalLimit {
        pause = Pause(
          end: now.uptime + options.refusalWindow,
          error: .newTokensRefused(count: options.refusalLimit))
        refusals = NewTokenRefusals()
      }
    }
  }

  /// Returns the next place in line.
  mutating func takePlace() -> Int {
    waiterCount += 1
    return waiterCount
  }

  /// Removes a call that no longer waits.
  mutating func leave(_ id: Int) -> SessionWaiter? { line.remove(id) }

  // MARK: What calls wait for

  /// Whether an action runs whose end serves the line.
  private var isBusy: Bool {
    isReading || writerCount > 0 || unsaved?.isBeingSaved == true || flight != nil
  }

  /// Whether a credential has to be renewed before a request leaves with it.
  private func isDue(_ credential: IssuedCredential, at now: SessionInstant) -> Bool {
    credential === unrenewable ? credential.isExpired(at: now) : credential.isDue(at: now)
  }

  private mutating func pause(at now: SessionInstant) -> Pause? {
    if let pause, pause.end > now.uptime { return pause }
    pause = nil
    return nil
  }

  mutating func read() -> [SessionEffect] {
    guard !isBusy, ending == nil, current == nil else { return [] }
    isReading = true
    return [.read(version: version)]
  }

  /// Takes the content of the store.
  mutating func didRead(
    _ result: Result<Credential?, any Error>, version: Int, at now: SessionInstant
  ) -> [SessionEffect] {
    guard isReading, version == self.version else { return [] }
    isReading = false
    switch result {
    case .failure(let error):
      return [.resume(line.takeAll(), .failure(.storeNotReadable(error)))]
    case .success(nil):
      stored = nil
      return serveLine(at: now)
    case .success(let credential?):
      stored = credential
      issue(credential, from: .given, at: now)
      // Equal requests are recognized by their order, so none waits longer than others before it is
      // built.
      let users = line.takeThoseWithoutUser()
      let known: [SessionEffect] = current.map { [.resume(users, .success($0))] } ?? []
      return known + serveLine(at: now)
    }
  }

  /// Serves the calls in line with the present credential, or begins to get one.
  mutating func serveLine(at now: SessionInstant) -> [SessionEffect] {
    guard !isBusy else { return [] }
    guard let current else {
      publish()
      guard ending == nil, !requiresSignIn else {
        return [.resume(line.takeAll(), .failure(.signedOut))]
      }
      if let pause = pause(at: now) { return [.resume(line.takeAll(), .failure(pause.error))] }
      return line.count > 0 ? startFlight() : []
    }
    publish()
    guard line.count > 0, isDue(current, at: now) || line.holdsRefusal(of: current) else {
      return [.resume(line.takeAll(), .success(current))]
    }
    guard let pause = pause(at: now) else { return startFlight() }
    return disappoint(pause.error, at: now)
  }

  mutating func startFlight() -> [SessionEffect] {
    flightCount += 1
    flight = Flight(
      number: flightCount, followsRefusal: current.map(line.holdsRefusal(of:)) ?? false)
    publish()
    return [
      .refresh(
        RefreshOrder(
          number: flightCount, credential: current?.credential, stored: stored,
          isSignInUnsaved: unsaved?.isSignIn == true, version: version))
    ]
  }

  mutating func issue(
    _ credential: Credential, from source: IssuedCredential.Source, at now: SessionInstant
  ) {
    issuedCount += 1
    unrenewable = nil
    current = IssuedCredential(
      credential, of: TokenSession.Identity(session: tag, epoch: epoch), during: span,
      number: issuedCount, source: source, at: now, options: options)
  }

  /// Ends everything that belongs to the signed-in user.
  mutating func beginEpoch() {
    epoch += 1
    current = nil
    unrenewable = nil
    span.end()
    notices.append(span)
    span = SignInSpan(of: tag)
  }

  /// Tells observers the present state.
  mutating func publish() {
    let state: TokenSession.State =
      if flight != nil {
        .refreshing
      } else if current != nil {
        .active
      } else {
        ending == .expired ? .expired : .signedOut
      }
    notices.append(state)
  }
}

/// One moment on both clocks of a session.
///
/// The wall clock includes the machine's sleep, and may jump. The other clock never goes backward.
struct SessionInstant: Sendable, Equatable {
  let uptime: Duration
  let date: Date

  func advanced(by duration: Duration) -> SessionInstant {
    SessionInstant(uptime: uptime + duration, date: date + duration.inSeconds)
  }

  /// Whether the moment has passed on either clock.
  func isOver(at now: SessionInstant) -> Bool {
    now.uptime >= uptime || now.date >= date
  }
}

/// The pending notifications for a session's observers, in order.
struct SessionNotices: Sendable {
  enum Notice: Sendable {
    case state(TokenSession.State)
    case signOut(TokenSession.SignOutCause)
    /// The span of a user is over: no request runs for that user any more.
    case over(SignInSpan)
  }

  private var waiting: [Notice] = []
  private var lastState: TokenSession.State?

  mutating func append(_ state: TokenSession.State) {
    guard state != lastState else { return }
    lastState = state
    waiting.append(.state(state))
  }

  mutating func append(_ cause: TokenSession.SignOutCause) {
    waiting.append(.signOut(cause))
  }

  mutating func append(_ span: SignInSpan) {
    waiting.append(.over(span))
  }

  /// Whether a user may be signed in.
  ///
  /// It is false only after a notice that no user is.
  var mayBeSignedIn: Bool { lastState != .signedOut && lastState != .expired }

  /// Returns the next notice to deliver.
  mutating func next() -> Notice? {
    waiting.isEmpty ? nil : waiting.removeFirst()
  }
}

/// A count of new tokens that the API refused before it had accepted them.
///
/// Such refusals show that refreshing does not help.
struct NewTokenRefusals: Sendable {
  private var times: [Duration] = []
  private var lastNumber = 0

  /// - Parameter number: The credential's number; many calls may be refused with the same
  ///   credential.
  mutating func note(_ number: Int, at time: Duration) {
    guard number != lastNumber else { return }
    lastNumber = number
    times.append(time)
  }

  mutating func count(at now: Duration, within window: Duration) -> Int {
    times.removeAll { $0 <= now - window }
    return times.count
  }
}
