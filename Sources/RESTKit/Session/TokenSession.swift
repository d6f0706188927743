import Dispatch
import Foundation
import Streams

/// Keeps one user signed in: owns the credential, puts it on calls, and renews it once for all of
/// them.
///
/// ```swift
/// let session = TokenSession(grant: JSONRefreshGrant(baseURL: "https://id.example.com"))
/// try session.signIn(Credential(accessToken: access, refreshToken: refresh))
///
/// session.authorize(shop.get(endpoint: "orders"))
///   .decode(type: [Order].self)
/// ```
///
/// However many calls find that the token is refused or about to end, one refresh runs; they wait for
/// it in line, and so does every call that begins meanwhile. The session runs it itself: it goes on
/// when a call that waits is cancelled, or when all are, and its result is stored before the first of
/// them goes on. Share one session between all services of a user.
///
/// Its methods may be called on any thread. Calls go on where the refresh ended, on the transport's
/// thread as a rule.
public final class TokenSession: Sendable {
  /// What a session is at a moment.
  public enum State: Sendable, Hashable {
    /// Nobody is signed in.
    case signedOut
    /// There is a credential to use.
    case active
    /// A refresh runs; calls wait.
    case refreshing
    /// The server does not renew the credential: the user has to sign in again.
    case expired
  }

  /// Why a session ended.
  public enum SignOutCause: Sendable {
    /// The app signed out.
    case requested
    /// The server does not renew the credential, for this reason.
    case refused(any Error)
    /// Somebody else who shares the store signed out, or in as another user.
    case elsewhere
  }

  /// Who is signed in, as a key: another one for each sign-in, the same over all refreshes.
  ///
  /// What is kept or shared of responses has to be keyed by it.
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
  let tag = SessionTag()
  private let date: @Sendable () -> Date
  let machine: Lock<SessionMachine>
  let states = CurrentValueSubject<State?, Never>(nil)
  let endings = PassthroughSubject<SignOutCause, Never>()

  /// - Parameters:
  ///   - grant: How a new token is bought.
  ///   - store: Where the credential is kept. It is read when the first call begins, before each
  ///     refresh, and by each call while it is empty.
  ///   - options: Times, limits, and which answers refuse a token.
  ///   - scheduler: What times refreshes and pauses.
  ///   - date: The wall clock, for the ends of tokens.
  public init(
    grant: any TokenGrant, store: any TokenStore = MemoryTokenStore(),
    options: TokenSessionOptions = TokenSessionOptions(),
    scheduler: any Scheduler = DispatchQueue(label: "RESTKit.TokenSession"),
    date: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.grant = grant
    self.store = store
    self.options = options
    self.scheduler = scheduler
    self.date = date
    machine = Lock(
      SessionMachine(tag: tag, options: options, requiresSignIn: grant.requiresSignIn))
  }

  var now: SessionMoment { SessionMoment(uptime: scheduler.now, date: date()) }

  /// Keeps a credential for the calls to come.
  ///
  /// Whoever was signed in before is not any more: their calls that wait fail with
  /// ``TokenSessionError/signedOut``, and so do those that are refused later.
  ///
  /// - Throws: What the token store throws. The user is signed in all the same, for as long as this
  ///   session lives.
  public func signIn(_ credential: Credential) throws {
    update { $0.signIn(credential, at: $1) }
    try writeThrough()
  }

  /// Forgets the credential, for good: a refresh that ends later does not bring it back.
  ///
  /// Calls that wait fail with ``TokenSessionError/signedOut``. With a grant that needs no sign-in,
  /// the next call buys a new token.
  ///
  /// - Throws: What the token store throws. Nobody is signed in all the same, but a session that is
  ///   made later would find the credential.
  public func signOut() throws {
    update { machine, _ in machine.signOut() }
    try writeThrough()
  }

  /// Puts a newer credential of the same user in the place of the one there is.
  ///
  /// A refresh that runs is stopped, and the calls that wait for it go on with this credential.
  ///
  /// - Throws: What the token store throws, with the credential in use from memory;
  ///   ``TokenSessionError/signedOut`` where nobody is signed in.
  public func replaceCredential(with credential: Credential) throws {
    let now = self.now
    guard machine.withLock({ $0.replaceCredential(with: credential, at: now) }) else {
      throw TokenSessionError.signedOut
    }
    perform([])
    try writeThrough()
  }

  /// What the session is: the latest at once, then each change.
  ///
  /// The first subscriber makes the session read its store. While that fails there is no value.
  public var state: AnyPublisher<State, Never> {
    Deferred { [self] in
      update { machine, _ in machine.read() }
      return states.compactMap { $0 }
    }
    .eraseToAnyPublisher()
  }

  /// Tells, once for each sign-in at most, that the session ended, and why.
  public var signOuts: AnyPublisher<SignOutCause, Never> { endings.eraseToAnyPublisher() }

  /// Who is signed in now.
  public var identity: Identity {
    Identity(session: tag, epoch: machine.withLock { $0.epoch })
  }
}

/// Tells one session from another, also after that one is gone.
final class SessionTag: Sendable, Hashable {
  static func == (lhs: SessionTag, rhs: SessionTag) -> Bool { lhs === rhs }

  func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(self))
  }
}

extension TokenSession: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Such as `TokenSession(active)`.
  public var description: String { "TokenSession(\(states.value.map { "\($0)" } ?? "unread"))" }

  public var debugDescription: String { description }

  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
