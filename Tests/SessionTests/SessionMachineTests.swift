import Fixtures
import Foundation
import Streams
import Testing

@testable import RESTKit

@Suite("The state machine of a session")
struct SessionMachineTests {
  private let now = SessionInstant(uptime: .zero, date: WallClock.start)
  private let credential = Credential(accessToken: "t0", refreshToken: "r0")

  /// A machine with a signed-in user, and nothing to write.
  private func active() -> SessionMachine {
    var machine = SessionMachine(
      tag: SessionTag(), options: TokenSessionOptions(), requiresSignIn: true)
    _ = machine.signIn(credential, at: now)
    _ = machine.didWrite(credential, version: machine.version, isWritten: true, at: now)
    return machine
  }

  private func waiter(
    _ machine: inout SessionMachine, refused: IssuedCredential? = nil
  ) -> SessionWaiter {
    SessionWaiter(id: machine.takePlace(), refused: refused) { _ in }
  }

  /// The effects, each as the word for it.
  private func names(_ effects: [SessionEffect]) -> [String] {
    effects.compactMap { effect in
      switch effect {
      case .resume(let waiters, .success(let issued)):
        waiters.isEmpty ? nil : "\(waiters.map(\.id)) \(issued.credential.accessToken)"
      case .resume(let waiters, .failure(let error)):
        waiters.isEmpty ? nil : "\(waiters.map(\.id)) \(error.name)"
      case .read: "read"
      case .refresh(let order): "refresh \(order.number)"
      case .save: "save"
      case .forget: "forget"
      case .stop: "stop"
      }
    }
  }

  @Test("Waiting calls continue in their order, with the new credential")
  func order() {
    var machine = active()
    let refused = machine.current
    #expect(names(machine.renew(waiter(&machine, refused: refused), at: now)) == ["refresh 1"])
    #expect(names(machine.begin(waiter(&machine), at: now)) == [])
    #expect(names(machine.renew(waiter(&machine, refused: refused), at: now)) == [])
    let new = Credential(accessToken: "t1")
    let effects = machine.didRefresh(1, .renewed(new, stored: .success(())), at: now)
    #expect(names(effects) == ["[1, 2, 3] t1"])
  }

  @Test("TR-09 The line is in the order in which calls took their places, not of their arrival")
  func places() {
    var machine = active()
    let refused = machine.current
    let (first, second) = (waiter(&machine, refused: refused), waiter(&machine, refused: refused))
    let third = waiter(&machine)
    #expect(names(machine.renew(second, at: now)) == ["refresh 1"])
    #expect(names(machine.begin(third, at: now)) == [])
    #expect(names(machine.renew(first, at: now)) == [])
    let new = Credential(accessToken: "t1")
    let effects = machine.didRefresh(1, .renewed(new, stored: .success(())), at: now)
    #expect(names(effects) == ["[1, 2, 3] t1"])
  }

  @Test("A refresh that ends after another user signed in is ignored")
  func stale() {
    var machine = active()
    _ = machine.renew(waiter(&machine, refused: machine.current), at: now)
    #expect(
      names(machine.signIn(Credential(accessToken: "other"), at: now)) == ["[1] signedOut"])
    let late = Credential(accessToken: "t1")
    #expect(machine.didRefresh(1, .renewed(late, stored: .success(())), at: now).isEmpty)
    #expect(machine.current?.credential.accessToken == "other")
  }

  @Test("A write that is not the latest does not change the known content of the store")
  func writes() {
    var machine = active()
    _ = machine.signOut()
    let first = machine.version
    _ = machine.signIn(credential, at: now)
    _ = machine.didWrite(credential, version: first + 1, isWritten: true, at: now)
    #expect(machine.stored == credential)
    _ = machine.didWrite(nil, version: first, isWritten: true, at: now)
    #expect(machine.stored == credential)
    #expect(machine.unsaved == nil)
  }

  @Test("Calls wait for all writes, and a failed write does not stop them")
  func countsWriters() {
    var machine = active()
    _ = machine.signOut()
    let first = machine.version
    _ = machine.signIn(credential, at: now)
    #expect(names(machine.begin(waiter(&machine), at: now)) == [])
    let served = machine.didWrite(credential, version: first + 1, isWritten: true, at: now)
    #expect(names(served) == [])
    let last = machine.didWrite(nil, version: first, isWritten: false, at: now)
    #expect(names(last) == ["[1] t0"])
  }

  @Test("TR-20 Only a sign-in that was not written is written later")
  func unwritten() {
    var machine = active()
    let other = Credential(accessToken: "other")
    _ = machine.signIn(other, at: now)
    _ = machine.didWrite(other, version: machine.version, isWritten: false, at: now)
    #expect(names(machine.begin(waiter(&machine), at: now)) == ["[1] other"])
    let later = now.advanced(by: .seconds(2))
    guard case .save(let saving)? = machine.begin(waiter(&machine), at: later).first else {
      Issue.record("nothing is saved")
      return
    }
    #expect(saving.credential == other)
    #expect(saving.isSignIn)
    #expect(names(machine.didSave(saving, .success(()), at: later)) == ["[2] other"])
    #expect(machine.stored == other)
    #expect(names(machine.begin(waiter(&machine), at: later)) == ["[3] other"])
  }

  @Test("A credential is replaced unless it is known that nobody is signed in")
  func replacing() {
    let newer = Credential(accessToken: "t9")
    for requiresSignIn in [true, false] {
      var machine = SessionMachine(
        tag: SessionTag(), options: TokenSessionOptions(), requiresSignIn: requiresSignIn)
      let isReplacedUnread = machine.replaceCredential(with: newer, at: now)
      #expect(isReplacedUnread)
      machine = SessionMachine(
        tag: SessionTag(), options: TokenSessionOptions(), requiresSignIn: requiresSignIn)
      guard case .read(let version)? = machine.begin(waiter(&machine), at: now).first else {
        Issue.record("nothing is read")
        return
      }
      _ = machine.didRead(.success(nil), version: version, at: now)
      let isReplacedUnknown = machine.replaceCredential(with: newer, at: now)
      #expect(isReplacedUnknown == !requiresSignIn)
      _ = machine.signIn(credential, at: now)
      let isReplaced = machine.replaceCredential(with: newer, at: now)
      #expect(isReplaced)
      #expect(machine.current?.credential == newer)
    }
  }

  @Test("After a sign-out a call fails at once, without a look into the store")
  func afterSignOut() {
    var machine = active()
    _ = machine.signOut()
    #expect(names(machine.begin(waiter(&machine), at: now)) == ["[1] signedOut"])
    var client = SessionMachine(
      tag: SessionTag(), options: TokenSessionOptions(), requiresSignIn: false)
    _ = client.signOut()
    _ = client.didWrite(nil, version: client.version, isWritten: true, at: now)
    #expect(names(client.begin(waiter(&client), at: now)) == ["read"])
  }

  @Test("TR-27 Content of the store from before a sign-out does not enter the next session")
  func lateRead() {
    var machine = SessionMachine(
      tag: SessionTag(), options: TokenSessionOptions(), requiresSignIn: false)
    guard case .read(let early)? = machine.begin(waiter(&machine), at: now).first else {
      Issue.record("nothing is read")
      return
    }
    _ = machine.signOut()
    _ = machine.didWrite(nil, version: machine.version, isWritten: true, at: now)
    guard case .read(let late)? = machine.begin(waiter(&machine), at: now).first else {
      Issue.record("nothing is read again")
      return
    }
    #expect(names(machine.didRead(.success(credential), version: early, at: now)) == [])
    #expect(machine.current == nil)
    #expect(names(machine.didRead(.success(nil), version: late, at: now)) == ["refresh 1"])
  }

  @Test("During the write of a sign-in no refresh begins; waiting calls are served then")
  func waitsForWriter() {
    var machine = active()
    _ = machine.signIn(credential, at: now)
    #expect(names(machine.renew(waiter(&machine, refused: machine.current), at: now)) == [])
    let effects = machine.didWrite(
      credential, version: machine.version, isWritten: true, at: now)
    // It was refused with what was signed in, so that is not what it waits for.
    #expect(names(effects) == ["refresh 1"])
  }

  @Test("The work of a finished refresh is returned to the caller")
  func lateWork() {
    var machine = active()
    _ = machine.renew(waiter(&machine, refused: machine.current), at: now)
    _ = machine.didRefresh(1, .failed(.refreshTimedOut(after: .seconds(1))), at: now)
    #expect(machine.hold(AnyCancellable {}, ofFlight: 1) != nil)
  }

  @Test("While an unsaved token is being stored, no refresh begins")
  func waitsForSaving() {
    var machine = active()
    _ = machine.renew(waiter(&machine, refused: machine.current), at: now)
    let new = Credential(accessToken: "t1")
    let failure = Result<Void, any Error>.failure(RefreshError.noResponse)
    _ = machine.didRefresh(1, .renewed(new, stored: failure), at: now)
    let later = now.advanced(by: .seconds(2))
    guard case .save(let saving)? = machine.begin(waiter(&machine), at: later).first else {
      Issue.record("nothing is saved")
      return
    }
    #expect(names(machine.renew(waiter(&machine, refused: machine.current), at: later)) == [])
    #expect(names(machine.didSave(saving, .success(()), at: later)) == ["refresh 2"])
  }
}
