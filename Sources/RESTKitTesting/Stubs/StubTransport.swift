import Foundation
import RESTKit
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A transport that answers from scripts, in memory or over a real socket.
///
/// It belongs to one client. Two stub transports share nothing, so tests that each make their own
/// can run side by side.
///
/// ```swift
/// let stubs = StubTransport(script)
/// let service = IdentityService(baseURL: "https://id.example.com", transport: stubs)
/// …
/// try stubs.verify()
/// ```
///
/// A request that no transport sends, such as one with a `Host` field, is refused as by every
/// transport, and is no sent request. A request without a matching stub fails at once. No call
/// waits longer than the request's `timeoutInterval`. Responses arrive on the thread that
/// subscribes, on the scheduler if they have a delay, or on the thread of the transport in use.
public final class StubTransport: Transport {
  private let log: StubLog
  private let world: any StubWorld

  /// Creates a transport that answers in memory.
  ///
  /// - Parameters:
  ///   - scripts: The scripts. Each one is used in its own order.
  ///   - scheduler: The scheduler of delays, such as a `TestScheduler` for virtual time. By default
  ///     there are no delays.
  ///   - limits: The limits on the size of a response, as those of the transports that use sockets.
  ///   - hidesSecrets: Whether reports leave out values whose names are names of secrets. Use it
  ///     for tests with real credentials whose reports appear in public logs. By default reports
  ///     show all differences.
  ///   - fileID: The module and file of the call, for reports.
  ///   - filePath: The path of the file.
  ///   - line: The line of the call.
  ///   - column: The column of the call.
  public init(
    _ scripts: StubAPIResponse...,
    scheduler: any Scheduler = StandardTime.scheduler(else: .immediate),
    limits: TransportLimits = TransportLimits(), hidesSecrets: Bool = false,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) {
    log = StubLog(
      scripts,
      location: StubLocation(fileID: fileID, filePath: filePath, line: line, column: column),
      hidesSecrets: hidesSecrets)
    world = StubMemory(scheduler: scheduler, limits: limits)
  }

  /// Creates a transport that answers over a real socket: a ``MockServer`` on loopback, with the
  /// faults of real servers.
  ///
  /// The client and the script stay unchanged, including hosts and https. The transport sends each
  /// request to the server instead of its host, and gives the response the URL of the request.
  /// Delays take real time.
  ///
  /// - Parameters:
  ///   - scripts: The scripts. Each one is used in its own order.
  ///   - transport: The transport that carries the requests. It must not use a proxy for 127.0.0.1.
  ///   - hidesSecrets: Whether reports leave out values whose names are names of secrets.
  ///   - fileID: The module and file of the call, for reports.
  ///   - filePath: The path of the file.
  ///   - line: The line of the call.
  ///   - column: The column of the call.
  /// - Throws: ``MockServerError`` if the server cannot start.
  public init(
    _ scripts: StubAPIResponse..., over transport: any Transport, hidesSecrets: Bool = false,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) throws(MockServerError) {
    world = try StubSocket(transport: transport)
    log = StubLog(
      scripts,
      location: StubLocation(fileID: fileID, filePath: filePath, line: line, column: column),
      hidesSecrets: hidesSecrets)
  }

  init(log: StubLog, world: any StubWorld) {
    self.log = log
    self.world = world
  }

  /// An identity of its own.
  public let identity = TransportIdentity()

  /// The limits on the size of a response: those of the transport that carries the requests, if
  /// there is one.
  public var limits: TransportLimits { world.limits }

  /// All sent requests, in order, including unmatched ones.
  public var requests: [URLRequest] { log.journal.map(\.request) }

  /// All sent requests, in order, with their outcomes.
  public var journal: [StubExchange] { log.journal }

  /// The responses that were not used, or not often enough, as one text each.
  public var unusedStubs: [String] { log.unused.map(\.description) }

  /// Throws all deviations from the scripts: requests without a stub, failed verifications, and
  /// unused stubs.
  ///
  /// If there are none, it writes the recording, if there is one. Call it at the end of a test,
  /// unless the test is verified as a whole (``verifyingAll(_:report:)``). If a transport is
  /// released without either, it writes its deviations to standard error.
  public func verify() throws(StubError) {
    if let error = log.tellAll() { throw error }
    let failures = log.save()
    guard failures.isEmpty else { throw StubError(failures: failures) }
  }

  public func response(for request: URLRequest) -> AnyPublisher<RESTResponse, any Error> {
    DeferredInContext { [self] context in
      do {
        return world.answer(try exchange(of: request, in: context))
      } catch {
        return Fail(error: error).eraseToAnyPublisher()
      }
    }
    .eraseToAnyPublisher()
  }

  /// Returns the exchange in pieces: the pieces of the stub, never more than the demand.
  ///
  /// The request's body is read into memory and checked before the first piece arrives.
  public func events(
    for request: URLRequest, body: RequestBody?
  ) -> AnyPublisher<TransferEvent, any Error> {
    Deferred { [self] in
      do {
        try request.validate(with: body)
        return request.collecting(body, clock: world.clock) { [self] in pieces(for: $0) }
      } catch {
        return Fail(error: error).eraseToAnyPublisher()
      }
    }
    .eraseToAnyPublisher()
  }

  /// - Parameter request: A request that has its body.
  private func pieces(for request: URLRequest) -> AnyPublisher<TransferEvent, any Error> {
    DeferredInContext { [self] context in
      do {
        let played = try exchange(of: request, in: context)
        return played.noting(world.pieces(played))
      } catch {
        return Fail(error: error).eraseToAnyPublisher()
      }
    }
    .eraseToAnyPublisher()
  }

  /// Begins an exchange.
  ///
  /// - Throws: A `RESTError` for a request that no transport sends, a ``StubError`` for one that
  ///   deviates from the scripts.
  private func exchange(
    of request: URLRequest, in context: SubscriptionContext
  ) throws -> PlayedExchange {
    try request.validate()
    let origin = CallOrigin(context)
    let (id, play) = try log.take(for: request, origin: origin)
    return PlayedExchange(
      request: request, play: play, id: id, log: log, declaredSecrets: origin.declaredSecrets)
  }
}
