import Foundation
import RESTKit
import Streams
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension IntegrationTests {
  @Suite("Timeouts and cancellation")
  struct Times {
    @Test("a response that comes late but in time is delivered", arguments: TransportKind.allCases)
    func late(kind: TransportKind) async throws {
      let response = try await HttpbinAPI(kind).get(
        endpoint: "delay/0.3", requestModifier: limit(20)
      )
      .value
      #expect(response.statusCode == 200)
    }

    @Test(
      "a timeout ends the call on time, to the fraction of a second",
      arguments: TransportKind.allCases, [0.25, 1.4])
    func timeout(kind: TransportKind, seconds: Double) async throws {
      let call = try HttpbinAPI(kind).get(endpoint: "delay/6", requestModifier: limit(seconds))
      try await expectTimeout(call, after: seconds)
    }

    @Test("steady bytes do not extend a timeout", arguments: TransportKind.allCases)
    func drip(kind: TransportKind) async throws {
      let call = try HttpbinAPI(kind).get(
        endpoint: "drip",
        query: [
          URLQueryItem(name: "numbytes", value: "120"), URLQueryItem(name: "duration", value: "6"),
        ], requestModifier: limit(0.5))
      try await expectTimeout(call, after: 0.5)
    }

    @Test(
      "a timeout of a POST says that the POST may have been processed",
      arguments: TransportKind.allCases)
    func timeoutOfPost(kind: TransportKind) async throws {
      let call = try HttpbinAPI(kind)
        .post(endpoint: "delay/2", body: .data(Data("order".utf8)), requestModifier: limit(0.2))
      let error = await #expect(throws: RESTError.self) { try await call.value }
      #expect(error?.kind == .transport(.timedOut))
      #expect((error?.underlyingError as? TransportError)?.mayHaveBeenProcessed == true)
    }

    @Test("the same transport works after a timeout", arguments: TransportKind.allCases)
    func afterTimeout(kind: TransportKind) async throws {
      let api = try HttpbinAPI(kind)
      let call = api.get(endpoint: "delay/2", requestModifier: limit(0.1))
      _ = await #expect(throws: RESTError.self) { try await call.value }
      #expect(try await api.get(endpoint: "get").value.statusCode == 200)
    }

    @Test("cancelling the task ends a long call at once", arguments: TransportKind.allCases)
    func cancelledTask(kind: TransportKind) async throws {
      let api = try HttpbinAPI(kind)
      let clock = ContinuousClock()
      let begin = clock.now
      let task = Task { try await api.get(endpoint: "delay/6").value }
      // A separate call gives the other one the time to start.
      #expect(try await api.get(endpoint: "delay/0.2").value.statusCode == 200)
      task.cancel()
      _ = await #expect(throws: CancellationError.self) { try await task.value }
      #expect(clock.now - begin < .seconds(5))
    }

    @Test(
      "a cancelled call frees its connection and delivers nothing more",
      arguments: TransportKind.allCases)
    func freedConnections(kind: TransportKind) async throws {
      let api = try HttpbinAPI(kind)
      let endings = Endings()
      let clock = ContinuousClock()
      let begin = clock.now
      // As many as a host gets connections.
      let calls = (0..<6).map { _ in
        api.get(endpoint: "delay/4").sink {
          endings.add($0)
        } receiveValue: { _ in
        }
      }
      let waiting = api.get(endpoint: "get", requestModifier: limit(0.5))
      let error = await #expect(throws: RESTError.self) { try await waiting.value }
      #expect(error?.kind == .transport(.timedOut))
      for call in calls { call.cancel() }
      #expect(try await api.get(endpoint: "get").value.statusCode == 200)
      #expect(clock.now - begin < .seconds(3.5))
      #expect(endings.count == 0)
    }

    @Test(
      "a refused connection is reported as such, and as not processed",
      arguments: TransportKind.allCases)
    func refused(kind: TransportKind) async throws {
      struct Nobody: RESTAPI {
        // The port of a service that no machine runs any more (RFC 1078).
        let baseURL = "http://127.0.0.1:1"
        let transport: any Transport
      }
      let call = Nobody(transport: try kind.makeTransport()).get(endpoint: "get")
      let error = try #require(
        await #expect(throws: RESTError.self) { try await call.value })
      #expect(error.kind == .transport(.connectionRefused))
      #expect((error.underlyingError as? TransportError)?.mayHaveBeenProcessed == false)
      #expect(error.description.hasPrefix("GET http://127.0.0.1:1/get: "))
    }

    private func limit(_ seconds: Double) -> RequestModifier {
      { request in
        var request = request
        request.timeoutInterval = seconds
        return request
      }
    }

    private func expectTimeout(
      _ call: AnyPublisher<RESTResponse, any Error>, after seconds: Double
    ) async throws {
      let clock = ContinuousClock()
      let begin = clock.now
      let error = await #expect(throws: RESTError.self) { try await call.value }
      let time = clock.now - begin
      #expect(error?.kind == .transport(.timedOut))
      // Engines count in whole milliseconds.
      #expect(time > .seconds(seconds) - .milliseconds(5))
      #expect(time < .seconds(4), "the server's time, not the call's")
    }
  }
}

/// Counts the ends of calls.
private final class Endings: Sendable {
  private let endings = Lock(0)

  var count: Int { endings.withLock { $0 } }

  func add(_ ending: Subscribers.Completion<any Error>) {
    endings.withLock { $0 += 1 }
  }
}
