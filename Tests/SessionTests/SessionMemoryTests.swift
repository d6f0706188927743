import Fixtures
import Foundation
import Streams
import StreamsTesting
import Testing

@testable import RESTKit

@Suite("The memory of a session's state machine")
struct SessionMemoryTests {
  private let now = SessionInstant(uptime: .zero, date: WallClock.start)
  private let credential = Credential(accessToken: "t0", refreshToken: "r0")
  private let failure = Result<Void, any Error>.failure(RefreshError.noResponse)

  /// A machine with a signed-in user, and nothing to write.
  private func active(
    options: TokenSessionOptions = TokenSessionOptions(), requiresSignIn: Bool = true
  ) -> SessionMachine {
    var machine = SessionMachine(
      tag: SessionTag(), options: options, requiresSignIn: requiresSignIn)
    _ = machine.signIn(credential, at: now)
    _ = machine.didWrite(credential, version: machine.version, isWritten: true, at: now)
    return machine
  }

  private func waiter(
    _ machine: inout SessionMachine, refused: IssuedCredential? = nil
  ) -> SessionWaiter {
    SessionWaiter(id: machine.takePlace(), refused: refused) { _ in }
  }

  /// Has the machine begin a refresh, since the API refused what there is.
  private func refuse(_ machine: inout SessionMachine, at moment: SessionInstant) -> [SessionEffect]
  {
    let refused = machine.current
    let waiter = waiter(&machine, refused: refused)
    return machine.renew(waiter, at: moment)
  }

  @Test("A sign-in that has ended is released")
  func endedSignIn() {
    let session = TokenSession(
      grant: ClosureGrant { _ in Empty<TokenResponse, any Error>() }, store: MemoryTokenStore())
    let grant = SubjectSignIn()
    let outcome = TestSubscriber<Void, any Error>()
    session.signIn(with: grant).receive(subscriber: outcome)
    #expect(session.machine.withLock { $0.signInAttempt != nil })
    grant.subject.send(completion: .failure(TestFailure()))
    #expect(outcome.failure != nil)
    #expect(session.machine.withLock { $0.signInAttempt == nil })
  }

  private func stops(_ effects: [SessionEffect]) -> Int {
    effects.count { effect in
      if case .stop = effect { true } else { false }
    }
  }

  private func refreshes(_ effects: [SessionEffect]) -> Bool {
    effects.contains { effect in
      if case .refresh = effect { true } else { false }
    }
  }

  @Test("A sign-in that two threads write is stored if one of the writes succeeds")
  func writtenTwice() {
    var machine = active()
    let other = Credential(accessToken: "other")
    _ = machine.signIn(credential, at: now)
    _ = machine.signIn(other, at: now)
    _ = machine.didWrite(other, version: machine.version, isWritten: false, at: now)
    #expect(machine.unsaved != nil)
    _ = machine.didWrite(other, version: machine.version, isWritten: true, at: now)
    #expect(machine.unsaved == nil)
    #expect(machine.stored == other)
  }

  @Test("TR-27 A sign-out discards all delayed writes, even an unwritten sign-in")
  func unwrittenSignOut() {
    var machine = active()
    _ = machine.signIn(credential, at: now)
    _ = machine.didWrite(credential, version: machine.version, isWritten: false, at: now)
    let later = now.advanced(by: .seconds(2))
    guard case .save(let saving)? = machine.begin(waiter(&machine), at: later).first else {
      Issue.record("nothing is saved")
      return
    }
    _ = machine.signOut()
    _ = machine.didWrite(nil, version: machine.version, isWritten: false, at: later)
    #expect(machine.unsaved == nil)
    let late = machine.didSave(saving, .success(()), at: later)
    #expect(late.isEmpty)
  }

  @Test("An obsolete refresh is stopped once, after the app's change is written")
  func stopsOnce() {
    var machine = active()
    _ = refuse(&machine, at: now)
    let early = machine.hold(AnyCancellable {}, ofFlight: 1)
    #expect(early == nil)
    _ = machine.signIn(credential, at: now)
    let written = machine.didWrite(
      credential, version: machine.version, isWritten: true, at: now)
    #expect(stops(written) == 1)
    _ = machine.signIn(credential, at: now)
    let again = machine.didWrite(credential, version: machine.version, isWritten: true, at: now)
    #expect(stops(again) == 0)
  }

  @Test("A refresh that just began when the app makes a change is stopped, too")
  func stopsLateWork() {
    var machine = active()
    _ = refuse(&machine, at: now)
    _ = machine.signIn(credential, at: now)
    let late = machine.hold(AnyCancellable {}, ofFlight: 1)
    #expect(late == nil)
    let written = machine.didWrite(
      credential, version: machine.version, isWritten: true, at: now)
    #expect(stops(written) == 1)
  }

  @Test("The work of a finished refresh is returned, to be released outside the lock")
  func givesBackWork() {
    var machine = active()
    _ = refuse(&machine, at: now)
    let held = machine.hold(AnyCancellable {}, ofFlight: 1)
    #expect(held == nil)
    let effects = machine.didRefresh(1, .failed(.refreshTimedOut(after: .seconds(1))), at: now)
    #expect(stops(effects) == 1)
  }

  @Test("TR-20 A new token discards the delayed write", arguments: [true, false])
  func nothingUnsaved(isElsewhere: Bool) {
    var machine = active()
    _ = refuse(&machine, at: now)
    let lost = Credential(accessToken: "t1")
    _ = machine.didRefresh(1, .renewed(lost, stored: failure), at: now)
    #expect(machine.unsaved != nil)
    _ = refuse(&machine, at: now)
    let new = Credential(accessToken: "t2")
    let outcome: RefreshOutcome =
      isElsewhere ? .changedElsewhere(new) : .renewed(new, stored: .success(()))
    _ = machine.didRefresh(2, outcome, at: now)
    #expect(machine.unsaved == nil)
    #expect(machine.stored == new)
  }

  @Test(
    "TR-20 A delayed write replaces another user's credential only for a sign-in",
    arguments: [true, false])
  func takesWhosePlace(isSignIn: Bool) {
    var machine = active()
    if isSignIn {
      _ = machine.signIn(credential, at: now)
      _ = machine.didWrite(credential, version: machine.version, isWritten: false, at: now)
    }
    _ = refuse(&machine, at: now)
    let new = Credential(accessToken: "t1")
    _ = machine.didRefresh(1, .renewed(new, stored: failure), at: now)
    let later = now.advanced(by: .seconds(2))
    guard case .save(let saving)? = machine.begin(waiter(&machine), at: later).first else {
      Issue.record("nothing is saved")
      return
    }
    #expect(saving.credential == new)
    #expect(saving.isSignIn == isSignIn)
  }

  @Test("TR-12 A token that arrives during a pause ends the pause", arguments: [true, false])
  func pauseEnds(isElsewhere: Bool) throws {
    var machine = active(options: TokenSessionOptions(refusalLimit: 1))
    _ = refuse(&machine, at: now)
    let short = Credential(accessToken: "t1", expiresAt: WallClock.start + 10)
    _ = machine.didRefresh(1, .renewed(short, stored: .success(())), at: now)
    // It is renewed after half its life, and refused meanwhile.
    let due = now.advanced(by: .seconds(6))
    let begun = machine.begin(waiter(&machine), at: due)
    #expect(refreshes(begun))
    machine.noteRefusal(of: try #require(machine.current), at: due)
    let next = Credential(accessToken: "t2", expiresAt: WallClock.start + 20)
    let outcome: RefreshOutcome =
      isElsewhere ? .changedElsewhere(next) : .renewed(next, stored: .success(()))
    _ = machine.didRefresh(2, outcome, at: due)
    let again = machine.begin(waiter(&machine), at: now.advanced(by: .seconds(14)))
    #expect(refreshes(again))
  }

  @Test("TR-12 A late refusal of a token that was already counted does not extend the pause")
  func lateRefusal() throws {
    var machine = active(options: TokenSessionOptions(refusalLimit: 2))
    for number in 1...2 {
      _ = refuse(&machine, at: now)
      let new = Credential(accessToken: "t\(number)")
      _ = machine.didRefresh(number, .renewed(new, stored: .success(())), at: now)
      machine.noteRefusal(of: try #require(machine.current), at: now)
    }
    let paused = refuse(&machine, at: now)
    #expect(!refreshes(paused))
    machine.noteRefusal(
      of: try #require(machine.current), at: now.advanced(by: .seconds(30)))
    let over = refuse(&machine, at: now.advanced(by: .seconds(60)))
    #expect(refreshes(over))
  }

  @Test("A store that is read as empty counts as empty")
  func emptied() {
    var machine = active(requiresSignIn: false)
    _ = machine.signOut()
    _ = machine.didWrite(nil, version: machine.version, isWritten: false, at: now)
    #expect(machine.stored == credential)
    guard case .read(let version)? = machine.begin(waiter(&machine), at: now).first else {
      Issue.record("nothing is read")
      return
    }
    _ = machine.didRead(.success(nil), version: version, at: now)
    #expect(machine.stored == nil)
  }
}

@Suite("The count of refused new tokens")
struct NewTokenRefusalsTests {
  @Test("Each token counts once, at its first refusal")
  func tokens() {
    var refusals = NewTokenRefusals()
    for number in [1, 1, 2, 2, 2] { refusals.note(number, at: .zero) }
    let count = refusals.count(at: .zero, within: .seconds(60))
    #expect(count == 2)
  }

  @Test("Only refusals within the window count")
  func window() {
    var refusals = NewTokenRefusals()
    refusals.note(1, at: .zero)
    refusals.note(2, at: .seconds(30))
    let counts = [59_999, 60_000, 89_999, 90_000].map { time in
      refusals.count(at: .milliseconds(time), within: .seconds(60))
    }
    #expect(counts == [2, 1, 1, 0])
  }
}

@Suite("The pending notices of a session")
struct SessionNoticesTests {
  private func text(_ notice: SessionNotices.Notice?) -> String {
    switch notice {
    case .state(let state): "\(state)"
    case .signOut: "sign-out"
    case .over: "over"
    case nil: "nothing"
    }
  }

  @Test("Notices are delivered in order, each state once")
  func order() {
    var notices = SessionNotices()
    notices.append(TokenSession.State.active)
    notices.append(TokenSession.State.active)
    notices.append(TokenSession.SignOutCause.requested)
    notices.append(TokenSession.State.signedOut)
    let told = (1...4).map { _ in text(notices.next()) }
    #expect(told == ["active", "sign-out", "signedOut", "nothing"])
    notices.append(TokenSession.State.active)
    let later = text(notices.next())
    #expect(later == "active")
  }
}
