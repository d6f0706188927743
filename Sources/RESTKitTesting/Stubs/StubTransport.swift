import Foundation
import RESTKit
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A transport that answers from scripts, without a network, or over a real socket.
///
/// It belongs to the client it is given to: nothing is shared between two of them, so tests that
/// each make their own can run side by side.
///
/// ```swift
/// let stubs = StubTransport(script)
/// let service = IdentityService(baseURL: "https://id.example.com", transport: stubs)
/// …
/// try stubs.verify()
/// ```
///
/// A request that no stub is for fails at once; nothing waits longer than the request's
/// `timeoutInterval`. Answers come on the thread that subscribes, or on the scheduler where they
/// take their time, or on the thread of the transport that is used.
public final class StubTransport: Transport {
  private let ledger: StubLedger
  private let world: any StubWorld

  /// Answers in memory.
  ///
  /// - Parameters:
  ///   - scripts: What to answer. Each is consumed in its own order.
  ///   - scheduler: What delays wait on; a `TestScheduler` for virtual time. By default there is no
  ///     waiting.
  ///   - hidesSecrets: Whether reports leave out values whose names are those of secrets: for tests with
  ///     real credentials, whose reports end up in public logs. By default they show what differs.
  ///   - fileID: Where this stands in the test: what a report names.
  ///   - filePath: The path of that file.
  ///   - line: The line in it.
  ///   - column: The column in that line.
  public init(
    _ scripts: StubAPIResponse..., scheduler: any Scheduler = .immediate,
    hidesSecrets: Bool = false, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) {
    ledger = StubLedger(
      scripts,
      location: StubLocation(fileID: fileID, filePath: filePath, line: line, column: column),
      hidesSecrets: hidesSecrets)
    world = StubMemory(scheduler: scheduler)
  }

  /// Answers over a real socket: a ``MockServer`` on loopback, with the faults of real servers.
  ///
  /// The client and the script stay as they are, hosts and https included: each request goes to the
  /// server in the place of its host, and its response comes back as that of its own URL. Delays
  /// take real time.
  ///
  /// - Parameters:
  ///   - scripts: What to answer. Each is consumed in its own order.
  ///   - transport: What carries the requests; it must not use a proxy for 127.0.0.1.
  ///   - hidesSecrets: Whether reports leave out values whose names are those of secrets.
  ///   - fileID: Where this stands in the test: what a report names.
  ///   - filePath: The path of that file.
  ///   - line: The line in it.
  ///   - column: The column in that line.
  /// - Throws: ``MockServerError`` where the server cannot start.
  public init(
    _ scripts: StubAPIResponse..., over transport: any Transport, hidesSecrets: Bool = false,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) throws(MockServerError) {
    world = try StubSocket(transport: transport)
    ledger = StubLedger(
      scripts,
      location: StubLocation(fileID: fileID, filePath: filePath, line: line, column: column),
      hidesSecrets: hidesSecrets)
  }

  init(ledger: StubLedger, world: any StubWorld) {
    self.ledger = ledger
    self.world = world
  }

  /// Those of the transport that carries the requests, if one does.
  public var limits: TransportLimits { world.limits }

  /// Every request that was sent, in order, the unmatched ones too.
  public var requests: [URLRequest] { ledger.journal.map(\.request) }

  /// Every request that was sent, in order, with what became of it.
  public var journal: [StubExchange] { ledger.journal }

  /// The responses that nobody asked for yet, or not often enough, as a text each.
  public var unusedStubs: [String] { ledger.unused.map(\.description) }

  /// Says what did not go by the scripts: requests that no stub matched, verifications that failed,
  /// stubs that nobody used.
  ///
  /// Where nothing went wrong, it writes what was recorded. Call it at the end of a test, if nothing else does: see
  /// ``verifyingAll(_:report:)``. A transport that is released with unused stubs and without either says so
  /// on standard error.
  public func verify() throws(StubError) {
    var failures = ledger.tellFailures()
    if failures.isEmpty { failures = ledger.save() }
    guard failures.isEmpty else { throw StubError(failures: failures) }
  }

  public func response(for request: URLRequest) -> AnyPublisher<RESTResponse, any Error> {
    DeferredInContext { [ledger, world] context in
      do throws(StubError) {
        let (id, play) = try ledger.take(for: request, origin: CallOrigin(context))
        return world.answer(StubTurn(request: request, play: play, id: id, ledger: ledger))
      } catch {
        return Fail(error: error as any Error).eraseToAnyPublisher()
      }
    }
    .eraseToAnyPublisher()
  }

  /// The same exchange in pieces: those of the stub, never more than are asked for.
  ///
  /// The request's body is in memory, and looked at, before anything comes.
  public func events(
    for request: URLRequest, body: RequestBody?
  ) -> AnyPublisher<TransferEvent, any Error> {
    request.collecting(body) { [ledger, world] request in
      DeferredInContext { context in
        do throws(StubError) {
          let (id, play) = try ledger.take(for: request, origin: CallOrigin(context))
          let turn = StubTurn(request: request, play: play, id: id, ledger: ledger)
          return turn.noting(world.pieces(turn))
        } catch {
          return Fail(error: error as any Error).eraseToAnyPublisher()
        }
      }
      .eraseToAnyPublisher()
    }
  }
}
