import Dispatch
import Foundation
import Streams

/// A session that keeps one user signed in.
///
/// It owns the credential, adds its token to calls, and refreshes it once for all of them.
///
/// ```swift
/// let session = TokenSession(grant: JSONRefreshGrant(baseURL: "https://id.example.com"))
/// try session.signIn(Credential(accessToken: access, refreshToken: refresh))
///
/// session.authorize(shop.get(endpoint: "orders"))
///   .decode(type: [Order].self)
/// ```
///
/// One refresh runs, no matter how many calls find that the token is refused or about to expire.
/// These calls wait for the refresh in line, and so does every call that begins meanwhile. The
/// session itself runs the refresh. It continues when waiting calls are cancelled, even all of
/// them. Its result is stored before the first waiting call continues. Share one session between
/// all services of a user.
///
/// The methods may be called on any thread. Waiting calls continue on the thread on which the
/// refresh ended, usually the transport's thread.
public final class TokenSession: Sendable {
  /// The state of a session.
  public enum State: Sendable, Hashable {
    /// No user is signed in.
    case signedOut
    /// There is a credential to use.
    case active
    /// A refresh runs, and calls wait for it.
    case refreshing
    /// The server no longer renews the credential. The user has to sign in again.
    case expired
  }

  /// The reason why a session ended.
  public enum SignOutCause: Sendable {
    /// The app signed out.
    case requested
    /// The server no longer renews the credential. The associated value is the reason.
    case refused(any Error)
    /// Another process or session that shares the store signed out, or signed in as another user.
    case elsewhere
  }

  /// A key for the signed-in user.
  ///
  /// It changes with each sign-in and stays the same over all refreshes.
  ///
  /// Use it as the key of all responses that are kept or shared.
  public struct Identity: Sendable, Hashable {
    private let session: SessionTag
    let epoch: Int

    init(session: SessionTag, epoch: Int) {
      self.session = session
      self.epoch = epoch
    }
  }

  let grant: any TokenGrant
  let store: any TokenStore
  let options: TokenSessionOptions
  let scheduler: any Scheduler
  /// The scheduler as the clock of calls.
  let callClock: CallClock
  let tag = SessionTag()
  private let date: @Sendable () -> Date
  let machine: Lock<SessionMachine>
  private let telling = Trampoline()
  let states = CurrentValueSubject<State?, Never>(nil)
  let endings = PassthroughSubject<SignOutCause, Never>()

  /// - Parameters:
  ///   - grant: The grant that requests new tokens.
  ///   - store: The store of the credential. The session reads it when the first call or
  ///     replacement begins, before each refresh, and with each call while the store is empty.
  ///   - options: Times, limits, and the rule for responses that refuse a token.
  ///   - scheduler: The scheduler that times refreshes and pauses.
  ///   - date: The wall clock, for the expiry of tokens.
  public init(
    grant: any TokenGrant, store: any TokenStore = MemoryTokenStore(),
    options: TokenSessionOptions = TokenSessionOptions(),
    scheduler: any Scheduler = StandardTime.scheduler(
      else: DispatchQueue(label: "RESTKit.TokenSession")),
    date: @escaping @Sendable () -> Date = StandardTime.wallClock()
  ) {
    self.grant = grant
    self.store = store
    self.options = options
    self.scheduler = scheduler
    callClock = CallClock(scheduler)
    self.date = date
    machine = Lock(
      SessionMachine(tag: tag, options: options, requiresSignIn: grant.requiresSignIn))
  }

  var now: SessionInstant { SessionInstant(uptime: scheduler.now, date: date()) }

  /// Signs in with a credential, which the calls that follow use.
  ///
  /// A user who was signed in before is signed out. That user's waiting calls fail with
  /// ``TokenSessionError/signedOut``, and so do calls that are refused later.
  ///
  /// - Throws: ``SignInError/unusableToken(name:)`` for a token with a control character; nothing
  ///   has changed then. The error of the token store; the user is signed in nevertheless, for as
  ///   long as this session lives.
  public func signIn(_ credential: Credential) throws {
    try credential.checkTokens()
    update { $0.signIn(credential, at: $1) }
    try writeThrough()
  }

  /// Signs out and forgets the credential.
  ///
  /// A refresh that ends later does not bring it back.
  ///
  /// Waiting calls fail with ``TokenSessionError/signedOut``. With a grant that requires no
  /// sign-in, the next call requests a new token.
  ///
  /// - Throws: The error of the token store. The user is signed out nevertheless, but a session
  ///   that is created later would find the credential.
  public func signOut() throws {
    update { machine, _ in machine.signOut() }
    try writeThrough()
  }

  /// Replaces the credential with a newer one of the same user.
  ///
  /// A refresh that runs is stopped. The calls that wait for it continue with the new credential.
  ///
  /// - Throws: The error of the token store; the credential is in use from memory then.
  ///   ``TokenSessionError/signedOut`` if no user is signed in.
  ///   ``SignInError/unusableToken(name:)`` for a token with a control character; nothing has
  ///   changed then.
  public func replaceCredential(with credential: Credential) throws {
    try credential.checkTokens()
    // Only the store knows the user of a session without a call so far.
    update { machine, _ in machine.read() }
    let now = self.now
    guard machine.withLock({ $0.replaceCredential(with: credential, at: now) }) else {
      throw TokenSessionError.signedOut
    }
    perform([])
    try writeThrough()
  }

  /// A publisher of the session's state: the current state at once, then each change.
  ///
  /// The first subscription makes the session read its store. There is no value while reading
  /// fails.
  public var state: AnyPublisher<State, Never> {
    Deferred { [self] in
      update { machine, _ in machine.read() }
      return states.compactMap { $0 }
    }
    .eraseToAnyPublisher()
  }

  /// A publisher of the reasons why sessions end, with at most one value for each sign-in.
  public var signOuts: AnyPublisher<SignOutCause, Never> { endings.eraseToAnyPublisher() }

  /// The key of the user who is signed in now.
  public var identity: Identity {
    Identity(session: tag, epoch: machine.withLock { $0.epoch })
  }
}

extension TokenSession: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// A text such as `TokenSession(active)`.
  public var description: String { "TokenSession(\(states.value.map { "\($0)" } ?? "unread"))" }

  public var debugDescription: String { description }

  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

// What a request on its way asks a session.
extension TokenSession {
  /// Whether this session's own refresh makes the call.
  func isRefreshing(in context: SubscriptionContext) -> Bool {
    context[RefreshingSessionKey.self] == tag || CredentialWork.isRunning(for: tag)
  }

  /// The span of the signed-in user; nil if no user is signed in or the store has not been read.
  var span: SignInSpan? { machine.withLock { $0.current?.span } }

  /// The credential of this session with which a request left; nil if it carried none.
  func credential(of departure: Departure?) -> IssuedCredential? {
    guard let credential = departure?.credential as? IssuedCredential,
      credential.span.session == tag
    else { return nil }
    return credential
  }

  /// Whether a credential is no longer the current one, because of a refresh, a replacement or a
  /// sign-out.
  func hasReplaced(_ credential: IssuedCredential) -> Bool {
    machine.withLock { $0.current !== credential }
  }

  /// The time until the next refresh is possible; zero if one is possible now.
  var refreshPause: Duration {
    let now = self.now
    return machine.withLock { $0.pause?.end }.map { max($0 - now.uptime, .zero) } ?? .zero
  }

  func noteRefusal(of credential: IssuedCredential) {
    let now = self.now
    machine.withLock { $0.noteRefusal(of: credential, at: now) }
  }
}

// Runs the effects of the session's state machine, while no lock is held.
extension TokenSession {
  /// Changes the state and runs the effects.
  ///
  /// - Parameter call: The call that caused the change, or nil if there is none.
  func update(
    for call: LogicalCall? = nil,
    _ change: (inout SessionMachine, SessionInstant) -> [SessionEffect]
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
    telling.drain(machine, next: { $0.notices.next() }) { notice in
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
        finish(.notGranted(.transient(RefreshError.noResponse)))
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

  /// Corrects the store after a write for an older state: a sign-in or a sign-out may have
  /// happened, and have been written, in the meantime.
  ///
  /// It does not touch the changes of others.
  func correct(_ stored: Credential?, ofVersion version: Int) {
    var (stored, version) = (stored, version)
    while true {
      let latest = machine.withLock { ($0.current?.credential, $0.version) }
      guard latest.1 != version else { return }
      // If the store fails here, it also failed for the caller that signed in or out, which got the
      // error.
      _ = try? store.replace(stored, with: latest.0)
      (stored, version) = latest
    }
  }

  private func forget(_ credential: Credential?, version: Int) {
    let result = Result { if let credential { _ = try store.replace(credential, with: nil) } }
    // A store that fails here keeps a credential that the server refuses. The next session that
    // reads it gets the same refusal.
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

/// The times and limits of the refreshes of a ``TokenSession``.
///
/// `Docs/Sessions.md` gives the reasons.
public struct TokenSessionOptions: Sendable {
  /// The time before its expiry at which a token is renewed.
  ///
  /// A token with a lifetime shorter than twice the leeway is renewed after half its lifetime. The
  /// lifetime is known of a token that a refresh or ``TokenSession/signIn(with:)`` has brought, and
  /// of a ``Credential`` with ``Credential/issuedAt``.
  public var leeway: Duration
  /// The part of its lifetime, from 0 to 1, after which a token is renewed, or nil if the leeway
  /// alone decides.
  ///
  /// With 0.5, a token is renewed after half its lifetime. The leeway applies if it is earlier, and
  /// if the token's lifetime is unknown. A token that has just come is used for a tenth of the time
  /// that it has left, whatever the part. A number that is not from 0 to 1 counts as nil.
  public var renewalPoint: Double?
  /// The longest time that one token request may take.
  ///
  /// The repetition after a lost response has the same time again. So does the preceding wait for
  /// other users of the store.
  public var refreshTimeout: Duration
  /// The time during which a refresh that failed temporarily is not repeated.
  public var cooldown: Duration
  /// The longest wait that the session accepts from a `Retry-After` of the token endpoint.
  public var maximumCooldown: Duration
  /// The number of new tokens in a row that the API may refuse before refreshes pause.
  public var refusalLimit: Int
  /// The time within which refused tokens are counted, and for which refreshes then pause.
  public var refusalWindow: Duration
  /// The rule for responses that refuse the token.
  public var refusals: RefusalRule

  public init(
    leeway: Duration = .seconds(30), renewalPoint: Double? = nil,
    refreshTimeout: Duration = .seconds(30), cooldown: Duration = .seconds(2),
    maximumCooldown: Duration = .seconds(300), refusalLimit: Int = 5,
    refusalWindow: Duration = .seconds(60), refusals: RefusalRule = .unauthorized
  ) {
    self.leeway = leeway
    self.renewalPoint = renewalPoint
    self.refreshTimeout = refreshTimeout
    self.cooldown = cooldown
    self.maximumCooldown = maximumCooldown
    self.refusalLimit = refusalLimit
    self.refusalWindow = refusalWindow
    self.refusals = refusals
  }
}
