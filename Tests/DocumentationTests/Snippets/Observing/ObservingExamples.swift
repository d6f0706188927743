import Foundation
import RESTKit
import RESTKitReports
import RESTKitTesting
import Streams
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The examples of Docs/Observing.md, which `ObservingTests` runs.
struct ObservingExamples {
  // snippet: events
  func printCalls(of transport: ObservedTransport) -> AnyCancellable {
    transport.callEvents.sink { event in print("\(event.call): \(event)") }
  }
  // end

  func bodies(of shop: ShopAPI) -> AnyPublisher<RESTResponse, any Error> {
    // snippet: bodies
    let orders = shop.get(endpoint: "orders").print("orders", bodies: .byName)
    // end
    return orders.eraseToAnyPublisher()
  }

  // snippet: attributes
  func count(
    _ transport: ObservedTransport, in add: @escaping @Sendable (String) -> Void
  ) -> AnyCancellable {
    transport.callLogs.sink { log in
      if let type = log.attributes["error.type"] { add("failed calls, \(type)") }
    }
  }
  // end

  // snippet: picture
  func writePicture(of logs: [CallLog], to file: URL) throws {
    try Data(CallPicture(logs).html.utf8).write(to: file)
  }
  // end

  // snippet: curl
  func describe(_ login: URLRequest) -> String {
    login.curlCommand()
  }
  // end

  // snippet: record
  func recordOrders(of shop: @Sendable (any Transport) -> ShopAPI, to file: URL) async throws {
    let recorder = HARRecorder(.shared)
    _ = try await shop(recorder).get(endpoint: "orders").value
    try recorder.har.write(to: file)
  }
  // end

  // snippet: replay
  func replayOrders(of shop: @Sendable (any Transport) -> ShopAPI, from file: URL) async throws {
    let replay = HARReplay(try HAR(contentsOf: file))
    let response = try await shop(replay).get(endpoint: "orders").value
    #expect(response.statusCode == 200)
    try replay.verify()
  }
  // end
}
