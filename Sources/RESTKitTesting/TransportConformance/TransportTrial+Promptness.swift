import Foundation
import RESTKit
import Streams
import StreamsTesting

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension TransportTrial {
  func promptHead() async throws {
    for length in [nil, 4] {
      let gate = MockGate()
      let server = try serve(nil) { _ in
        MockResponse(
          status: 202, headers: length.map { [("Content-Length", "\($0)")] } ?? [],
          delivery: .pieces([.when(gate, "late")]))
      }
      defer { server.stop() }
      let transport = try transport()
      let events = Self.events(of: transport.events(for: try request(server)))
      var head: ResponseHead?
      for await case .head(let first) in events {
        head = first
        break
      }
      try expect(head?.statusCode == 202, "the head before the body", seen: "an end without one")
      gate.open()
      var data = Data()
      for await case .chunk(let chunk) in events { data += chunk }
      try expect(data == Data("late".utf8), "the body behind it", seen: Self.text(data))
    }
  }

  func promptChunks() async throws {
    let pieces = ["one", "two", "three"].map { Data($0.utf8) }
    for isChunked in [true, false] {
      let gates = pieces.map { _ in MockGate() }
      let length = pieces.reduce(0) { $0 + $1.count }
      let server = try serve(nil) { _ in
        MockResponse(
          status: 200, headers: isChunked ? [] : [("Content-Length", "\(length)")],
          delivery: .pieces(zip(gates, pieces).map { .when($0, $1) }))
      }
      defer { server.stop() }
      let transport = try transport()
      let events = Self.events(of: transport.events(for: try request(server)))
      var (data, sent) = (Data(), Data())
      for (gate, piece) in zip(gates, pieces) {
        gate.open()
        sent += piece
        for await case .chunk(let chunk) in events {
          data += chunk
          if data.count >= sent.count { break }
        }
        try expect(data == sent, Self.text(sent), seen: Self.text(data))
      }
      for await case .chunk(let chunk) in events { data += chunk }
      try expect(data == sent, "no more than the body", seen: Self.text(data))
    }
  }

  func earlyResponse() async throws {
    let body = Self.pattern(8 << 20)
    for persistence in ["keep-alive", "close"] {
      let server = try serve({ request in
        guard request.path == "/early" else { return nil }
        return MockResponse(
          status: 413, headers: [("Connection", persistence)], body: Data("too much".utf8))
      }) { .text("\($0.body.count)") }
      defer { server.stop() }
      let transport = try transport()
      let upload = try request(server, "/early", method: "PUT")
      let pieces = await TransportPieces(transport.events(for: upload, body: .data(body)))
      try expect(
        pieces.failure == nil && pieces.heads.map(\.statusCode) == [413],
        "the response 413", seen: pieces.failure.map { "\($0)" } ?? "\(pieces.heads)")
      try expect(
        pieces.data == Data("too much".utf8), "its body", seen: Self.text(pieces.data))
      let whole = try await response(
        to: try request(server, "/early", method: "POST", body: body), over: transport)
      try expect(whole.statusCode == 413, "413 as a whole", seen: "\(whole.statusCode)")
      let next = try await response(
        to: try request(server, method: "PUT", body: Data("next".utf8)), over: transport)
      try expect(
        next.data == Data("4".utf8), "a response to the next request", seen: Self.text(next.data))
    }
  }

  /// Subscribes, and passes on each event as soon as it arrives.
  private static func events(
    of pieces: AnyPublisher<TransferEvent, any Error>
  ) -> AsyncStream<TransferEvent> {
    let (events, event) = AsyncStream.makeStream(of: TransferEvent.self)
    let call = pieces.sink(
      receiveCompletion: { _ in event.finish() }, receiveValue: { event.yield($0) })
    event.onTermination = { _ in call.cancel() }
    return events
  }
}
