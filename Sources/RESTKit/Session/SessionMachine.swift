import Streams

/// The state of a session.
///
/// There is one function for each thing that can happen, which returns what has to be done about it.
/// Nothing in here calls out.
struct SessionMachine: Sendable {
  /// Why calls are refused until somebody signs in.
  enum Ending: Sendable {
    case signedOut
    case expired
  }

  /// A refresh that runs.
  struct Flight: Sendable {
    let number: Int
    /// What stops it.
    var work: (any Cancellable)?
  }

  /// Why there is no refresh for a while.
  struct Pause: Sendable {
    let end: Duration
    let error: TokenSessionError
  }

  /// A token that is in memory only.
  struct Unsaved: Sendable {
    /// When to try again; nil while somebody tries.
    var retryTime: Duration?
    /// Whether the app signed in with it: the store may hold another user's.
    let isSignIn: Bool

    var isBeingSaved: Bool { retryTime == nil }
  }

  let tag: SessionTag
  let options: TokenSessionOptions
  let requiresSignIn: Bool

  /// Counts the sign-ins and sign-outs: who has another number is another user, or nobody.
  private(set) var epoch = 0
  private var span: SignInSpan
  /// Counts what the app did to the store, so that only the latest counts.
  var version = 0
  var current: IssuedCredential?
  var ending: Ending?
  var stored: Credential?
  var unsaved: Unsaved?
  var isReading = false
  /// How many sign-ins and sign-outs are being written.
  var writerCount = 0
  var flight: Flight?
  /// Refreshes that count no more.
  ///
  /// They have the turn at the store until what the app did is written, so that who is next finds it.
  var left: [any Cancellable] = []
  /// The sign-in by a grant that began last, while it runs.
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

  /// What a call that begins can use at once; nil where ``begin(_:at:)`` has to look.
  func usable(at now: SessionMoment) -> IssuedCredential? {
    guard let current, flight == nil, unsaved == nil, !current.isDue(at: now) else { return nil }
    return current
  }

  /// A call wants a credential.
  mutating func begin(_ waiter: SessionWaiter, at now: SessionMoment) -> [SessionEffect] {
    guard ending == nil else { return [.resume([waiter], .failure(.signedOut))] }
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
    guard current.isDue(at: now) else { return [.resume([waiter], .success(current))] }
    if let pause = pause(at: now) {
      let outcome: SessionWaiter.Outcome =
        current.isExpired(at: now) ? .failure(pause.error) : .success(current)
      return [.resume([waiter], outcome)]
    }
    line.append(waiter)
    return startFlight()
  }

  /// The API refused a credential, and the call wants another.
  mutating func renew(_ waiter: SessionWaiter, at now: SessionMoment) -> [SessionEffect] {
    guard let refused = waiter.refused, refused.epoch == epoch, ending == nil else {
      return [.resume([waiter], .failure(.signedOut))]
    }
    guard !isBusy, let current, current === refused else { return begin(waiter, at: now) }
    if let pause = pause(at: now) { return [.resume([waiter], .failure(pause.error))] }
    line.append(waiter)
    return startFlight()
  }

  /// The API refused a credential, whatever the call does about it.
  mutating func noteRefusal(of refused: IssuedCredential, at now: SessionMoment) {
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

  /// The next place in the line.
  mutating func takePlace() -> Int {
    waiterCount += 1
    return waiterCount
  }

  /// A call does not wait any longer.
  mutating func leave(_ id: Int) -> SessionWaiter? { line.remove(id) }

  // MARK: What calls wait for

  /// Whether something runs after which the line is served.
  private var isBusy: Bool {
    isReading || writerCount > 0 || unsaved?.isBeingSaved == true || flight != nil
  }

  private mutating func pause(at now: SessionMoment) -> Pause? {
    if let pause, pause.end > now.uptime { return pause }
    pause = nil
    return nil
  }

  mutating func read() -> [SessionEffect] {
    guard !isBusy, ending == nil, current == nil else { return [] }
    isReading = true
    return [.read(version: version)]
  }

  /// The store has told what it holds.
  mutating func didRead(
    _ result: Result<Credential?, any Error>, version: Int, at now: SessionMoment
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
      return serveLine(at: now)
    }
  }

  /// Gives the calls in line what there is, or begins to get it.
  mutating func serveLine(at now: SessionMoment) -> [SessionEffect] {
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
    guard line.count > 0, current.isDue(at: now) || line.holdsRefusal(of: current) else {
      return [.resume(line.takeAll(), .success(current))]
    }
    guard let pause = pause(at: now) else { return startFlight() }
    return disappoint(pause.error, at: now)
  }

  mutating func startFlight() -> [SessionEffect] {
    flightCount += 1
    flight = Flight(number: flightCount)
    publish()
    return [
      .refresh(
        RefreshOrder(
          number: flightCount, credential: current?.credential, stored: stored,
          isSignInUnsaved: unsaved?.isSignIn == true, version: version))
    ]
  }

  mutating func issue(
    _ credential: Credential, from source: IssuedCredential.Source, at now: SessionMoment
  ) {
    issuedCount += 1
    current = IssuedCredential(
      credential, of: TokenSession.Identity(session: tag, epoch: epoch), during: span,
      number: issuedCount, source: source, at: now, options: options)
  }

  /// Ends what belongs to who was signed in.
  mutating func beginEpoch() {
    epoch += 1
    current = nil
    span.end()
    notices.append(span)
    span = SignInSpan(of: tag)
  }

  /// Tells those who watch what the state is now.
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
