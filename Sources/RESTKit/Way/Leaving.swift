import Streams
import Synchronization

/// The last step before the transport: a request leaves when it has a turn at the limiter, with the
/// token of that moment.
///
///     token ready? ── no ──▶ wait for it
///         │ yes                  │
///         ▼                      ▼
///     turn at the limiter ◀──────┘
///         │
///     token still ready? ── no ──▶ give the turn back, wait for the token, return to the head of the line
///         │ yes
///         ▼
///     leave
///
/// A turn is never held during a wait for a token: the refresh may need a turn of the same limiter.
///
/// If the refresh takes a turn itself, and its token does not live until the next one, no request
/// ever leaves. So a request fails after a few turns for which it had waited for tokens that nobody
/// could use.
final class Leaving<Output: Sendable>: Sendable {
  /// The number of unused tokens in a row after which a request fails.
  private static var mostUnusedTokens: Int { 3 }

  /// The limiter; nil if the request needs no turn.
  fileprivate let limiter: RateLimiter?
  /// The session whose token the request gets; nil for none.
  fileprivate let binding: SessionBinding?
  fileprivate let request: RateLimiter.Request
  /// Returns the head that an output is or contains; nil for an output after the head.
  fileprivate let head: @Sendable (Output) -> ResponseHead?
  /// Makes an output name the departure of its request.
  fileprivate let mark: @Sendable (inout Output) -> Void
  private let send: @Sendable (IssuedCredential?) -> AnyPublisher<Output, any Error>
  /// Takes the request back if the transport gave it back unsent, and returns whether it did.
  private let takeBack: @Sendable () -> Bool
  /// The last place in line, and whether the request has ended.
  private let place = Lock<(wait: CallWait<Int>?, isOver: Bool)>((nil, false))
  /// The pass of the request; 0 without one.
  private let pass = Atomic(0)
  /// The number of tokens in a row that expired before this request's turn, and that no other
  /// request used.
  private let unusedTokens = Atomic(0)

  init(
    _ request: RateLimiter.Request, limitedBy limiter: RateLimiter?,
    boundTo binding: SessionBinding?,
    head: @escaping @Sendable (Output) -> ResponseHead?,
    mark: @escaping @Sendable (inout Output) -> Void,
    send: @escaping @Sendable (IssuedCredential?) -> AnyPublisher<Output, any Error>,
    takeBack: @escaping @Sendable () -> Bool
  ) {
    self.request = request
    self.limiter = limiter
    self.binding = binding
    self.head = head
    self.mark = mark
    self.send = send
    self.takeBack = takeBack
  }

  /// Returns the outputs of the request, to be subscribed to once and at once.
  var outputs: AnyPublisher<Output, any Error> {
    // A subscriber that cancels at once takes no turn.
    Deferred { [self] in
      let first =
        switch binding?.grant() {
        case .wait: wait(isLate: false)
        case .signedOut: fail(with: TokenSessionError.signedOut)
        case .credential, nil: takeTurn(isLate: false)
        }
      return Relay(first) { [self] _ in noteEnd() }
    }
    .eraseToAnyPublisher()
  }

  /// - Parameter isLate: Whether the request gave a turn back.
  private func wait(isLate: Bool) -> RelayLeg<LeavingRule<Output>> {
    guard let binding else { return takeTurn(isLate: isLate) }
    let wait = CredentialWait(for: binding.call, in: binding.session)
    return RelayLeg(
      wait.publisher(),
      rule: LeavingRule(owner: self, step: .token(wait, isLate: isLate)))
  }

  /// - Parameter granted: The credential that the request has waited for; nil if it has not waited.
  fileprivate func takeTurn(
    isLate: Bool, after granted: IssuedCredential? = nil
  ) -> RelayLeg<LeavingRule<Output>> {
    guard let limiter else { return leave(after: granted, hasWaited: false) }
    let rank: RateLimitMachine.Rank =
      binding?.isRepetition == true ? .repeated : isLate ? .late : .new
    switch limiter.turn(of: request, rank: rank, isLate: isLate) {
    case .pass(let pass):
      return keep(pass) ? leave(after: granted, hasWaited: false) : canceled
    case .wait(let wait):
      hold(wait)
      return RelayLeg(
        wait.publisher(),
        rule: LeavingRule(owner: self, step: .turn(wait, granted)))
    case .refused(let error): return fail(with: error)
    }
  }

  /// Keeps a place in line until the end.
  ///
  /// A cancel may come before anything is subscribed to the place.
  private func hold(_ wait: CallWait<Int>) {
    let isOver = place.withLock { place in
      if !place.isOver { place.wait = wait }
      return place.isOver
    }
    if isOver { wait.cancel() }
  }

  /// Keeps a pass until the end.
  ///
  /// - Returns: Whether the request may leave; false after a cancel, which gives the turn back.
  private func keep(_ pass: Int) -> Bool {
    self.pass.store(pass, ordering: .relaxed)
    guard place.withLock({ $0.isOver }) else { return true }
    giveBack()
    return false
  }

  private var canceled: RelayLeg<LeavingRule<Output>> {
    RelayLeg(Empty().eraseToAnyPublisher(), rule: LeavingRule(owner: self, step: .failed))
  }

  /// Goes on after a wait for a turn.
  fileprivate func leave(
    with pass: Int, after granted: IssuedCredential?
  ) -> RelayLeg<LeavingRule<Output>> {
    keep(pass) ? leave(after: granted, hasWaited: true) : canceled
  }

  /// - Parameter hasWaited: Whether time may have passed since the credential was granted.
  private func leave(
    after granted: IssuedCredential?, hasWaited: Bool
  ) -> RelayLeg<LeavingRule<Output>> {
    let grant =
      if let granted, !hasWaited {
        binding?.grant(atEndOfWait: granted)
      } else {
        binding?.grant(after: granted)
      }
    switch grant {
    case .credential(let credential): return go(with: credential)
    case nil: return go(with: nil)
    case .signedOut:
      giveBack()
      return fail(with: TokenSessionError.signedOut)
    case .wait:
      giveBack()
      guard limiter != nil else { return wait(isLate: false) }
      return isStuck(after: granted) ? fail(with: stuckRefusal) : wait(isLate: true)
    }
  }

  private func go(with credential: IssuedCredential?) -> RelayLeg<LeavingRule<Output>> {
    RelayLeg(send(credential), rule: LeavingRule(owner: self, step: .sent))
  }

  /// Begins again if the transport gave the request back unsent: its token had expired in the
  /// transport's line.
  fileprivate func beginAgain() -> RelayLeg<LeavingRule<Output>>? {
    guard binding != nil, takeBack() else { return nil }
    giveBack()
    return wait(isLate: true)
  }

  private func fail(with error: any Error) -> RelayLeg<LeavingRule<Output>> {
    RelayLeg(
      Fail(error: error).eraseToAnyPublisher(), rule: LeavingRule(owner: self, step: .failed))
  }

  /// Notes that the turn came too late for the token that the request has waited for.
  ///
  /// - Returns: Whether that would go on for ever.
  private func isStuck(after granted: IssuedCredential?) -> Bool {
    guard let granted else { return false }
    guard !granted.wasSent else {
      unusedTokens.store(0, ordering: .relaxed)
      return false
    }
    return unusedTokens.add(1, ordering: .relaxed).newValue >= Self.mostUnusedTokens
  }

  private var stuckRefusal: any Error {
    request.refusal(
      because: "\(Self.mostUnusedTokens) tokens in a row expired before a request had its turn",
      remedy: "Raise the limit of the RateLimiter, keep the refresh out of it, or have the server "
        + "issue tokens that live longer than the wait for a turn.")
  }

  /// Gives the turn to the next request, such as that of the refresh.
  private func giveBack() {
    let pass = pass.exchange(0, ordering: .relaxed)
    if pass > 0 { limiter?.takeBack(pass) }
  }

  fileprivate func note(_ output: Output) {
    let pass = pass.load(ordering: .relaxed)
    guard pass > 0, let head = head(output) else { return }
    limiter?.note(head, of: output as? RESTResponse, answering: pass)
  }

  /// Notes the head of a response whose body cannot be read.
  fileprivate func note(_ error: any Error) {
    let pass = pass.load(ordering: .relaxed)
    guard pass > 0, let unreadable = (error as? RESTError)?.unreadableResponse else { return }
    limiter?.note(unreadable.response.head, of: nil, answering: pass)
  }

  /// Records the end of the request, or that it was cancelled.
  private func noteEnd() {
    let wait = place.withLock { place in
      place.isOver = true
      return place.wait.take()
    }
    wait?.cancel()
    let pass = pass.load(ordering: .relaxed)
    if pass > 0 { limiter?.noteLoss(of: pass) }
  }
}

/// One step of a request that leaves, and the step that follows it.
struct LeavingRule<Output: Sendable>: RelayRule {
  enum Step {
    case token(CredentialWait, isLate: Bool)
    case turn(CallWait<Int>, IssuedCredential?)
    case sent
    case failed
  }

  fileprivate let owner: Leaving<Output>
  fileprivate let step: Step

  func successor(of output: inout Output) -> RelayLeg<Self>? {
    owner.note(output)
    owner.mark(&output)
    return nil
  }

  func successor(after end: Subscribers.Completion<any Error>) -> RelayLeg<Self>? {
    if case .failure(let error) = end {
      guard case .sent = step else { return nil }
      owner.note(error)
      return owner.beginAgain()
    }
    switch step {
    case .token(let wait, let isLate):
      return wait.take().map { owner.takeTurn(isLate: isLate, after: $0) }
    case .turn(let wait, let granted):
      return wait.take().map { owner.leave(with: $0, after: granted) }
    case .sent, .failed: return nil
    }
  }
}
