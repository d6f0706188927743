import Dispatch
import Fixtures
import Foundation
import RESTKit
import RESTKitTesting
import Streams
import Testing

@testable import IdentityKit

@Suite("The delivery of a profile's value and end", .timeLimit(.minutes(10)))
struct IdentityDeliveryTests {
  enum Case: CaseIterable, Sendable {
    case success, refresh, refreshFailure, unauthorized, malformed, status, transportFailure
    case signedOut, invalidBaseURL

    var baseURL: String { self == .invalidBaseURL ? "FA KE" : Identity.baseURL }

    var tokens: MemoryTokenStore {
      MemoryTokenStore(self == .signedOut ? nil : Identity.credential)
    }

    var stubs: StubTransport {
      switch self {
      case .success:
        StubTransport(StubAPIResponse(request: Identity.me, result: .json(Identity.profile)))
      case .refresh:
        StubTransport(
          Identity.script(refresh: .json(Identity.refreshed), retry: Identity.profile))
      case .refreshFailure:
        StubTransport(Identity.script(refresh: .success(Data())))
      case .unauthorized:
        StubTransport(
          Identity.script(refresh: .json(Identity.refreshed), retry: "{}", retryStatus: 401))
      case .malformed:
        StubTransport(StubAPIResponse(request: Identity.me, result: .json("Invalid")))
      case .status:
        StubTransport(StubAPIResponse(request: Identity.me, statusCode: 500))
      case .transportFailure:
        StubTransport(StubAPIResponse(request: Identity.me, result: .failure(TestFailure())))
      case .signedOut, .invalidBaseURL:
        StubTransport()
      }
    }

    var succeeds: Bool { self == .success || self == .refresh }
  }

  /// The received values, and whether they came on the right queue.
  enum Signal: Equatable, Sendable {
    case value(isSuccess: Bool, isThere: Bool)
    case end(isThere: Bool)
  }

  /// Subscribes and collects the value and the end.
  private func signals(
    of publisher: AnyPublisher<Result<User.Profile, FetchProfileError>, Never>,
    isThere: @escaping @Sendable () -> Bool
  ) async -> [Signal] {
    let (signals, continuation) = AsyncStream<Signal>.makeStream()
    let subscription = publisher.sink(
      receiveCompletion: { _ in
        continuation.yield(.end(isThere: isThere()))
        continuation.finish()
      },
      receiveValue: { result in
        let isSuccess = (try? result.get()) != nil
        continuation.yield(.value(isSuccess: isSuccess, isThere: isThere()))
      })
    let collected = await signals.reduce(into: []) { $0.append($1) }
    withExtendedLifetime(subscription) {}
    return collected
  }

  @Test("The value and the end are delivered on the requested queue", arguments: Case.allCases)
  func queue(outcome: Case) async {
    let key = DispatchSpecificKey<Bool>()
    let queue = DispatchQueue(label: "delivery")
    queue.setSpecific(key: key, value: true)
    let service = IdentityService(
      baseURL: outcome.baseURL, transport: outcome.stubs, tokens: outcome.tokens,
      deliveringOn: queue)
    let signals = await signals(of: service.fetchProfile) {
      DispatchQueue.getSpecific(key: key) == true
    }
    #expect(
      signals == [.value(isSuccess: outcome.succeeds, isThere: true), .end(isThere: true)])
  }

  @Test(
    "The value and the end are delivered on the main actor by default", arguments: Case.allCases)
  func mainActor(outcome: Case) async {
    let service = IdentityService(
      baseURL: outcome.baseURL, transport: outcome.stubs, tokens: outcome.tokens)
    // The main thread tells nothing here: Linux may run the main queue on any thread.
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    defer { DispatchQueue.main.setSpecific(key: key, value: nil) }
    let signals = await signals(of: service.fetchProfile) {
      DispatchQueue.getSpecific(key: key) == true
    }
    #expect(
      signals == [.value(isSuccess: outcome.succeeds, isThere: true), .end(isThere: true)])
  }

  @Test(
    "The value and the end are delivered on the requested queue over real sockets",
    arguments: TransportKind.allCases, [true, false])
  func queueFromSockets(kind: TransportKind, succeeds: Bool) async throws {
    let server = try MockServer { _ in .json(succeeds ? Identity.profile : "Invalid") }
    defer { server.stop() }
    let key = DispatchSpecificKey<Bool>()
    let queue = DispatchQueue(label: "delivery")
    queue.setSpecific(key: key, value: true)
    let service = IdentityService(
      baseURL: server.baseURL, transport: try kind.make(),
      tokens: MemoryTokenStore(Identity.credential), deliveringOn: queue)
    let signals = await signals(of: service.fetchProfile) {
      DispatchQueue.getSpecific(key: key) == true
    }
    #expect(signals == [.value(isSuccess: succeeds, isThere: true), .end(isThere: true)])
  }
}
