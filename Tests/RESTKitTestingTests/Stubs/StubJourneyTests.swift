#if os(Linux)
  import Foundation
  import RESTKit
  import RESTKitTesting
  import Streams
  import StreamsTesting
  import Testing

  import FoundationNetworking

  @Suite(
    "Drawn journeys: several scripts give the same in memory and over a socket",
    .timeLimit(.minutes(10)))
  struct StubJourneyTests {
    static let count: UInt64 = 100

    @Test("Each drawn journey has the same ends, journal and deviations in both worlds")
    func drawn() async throws {
      let carrier = try CurlTransport()
      for number in 0..<Self.count {
        let seed = 4_300 + number
        let journey = try DrawnJourney(seed: seed)
        let memory = StubTransport(journey.scripts)
        let socket = try StubTransport(journey.scripts, over: carrier)
        let expected = try await Self.play(journey, on: memory)
        let seen = try await Self.play(try DrawnJourney(seed: seed), on: socket)
        for (index, (one, other)) in zip(expected, seen).enumerated() {
          #expect(one == other, "seed \(seed), line \(index)")
        }
        #expect(expected.count == seen.count)
      }
    }

    @Test(
      "A header line over libcurl's limit is the same fault in both worlds, and one below a value")
    func longLines() async throws {
      for (count, isTaken) in [(102_392, true), (102_393, false)] {
        let script = StubAPIResponse(
          request: StubRequest(.get, path: "/v1/a"),
          headers: ["X-A": String(repeating: "v", count: count)])
        for stubs in [StubTransport(script), try StubTransport(script, over: CurlTransport())] {
          let lines = try await Self.play(
            DrawnJourney(requests: [(try DrawnJourney.request("/a"), .whole)]), on: stubs)
          #expect(lines.first?.contains("headerLineBytes") == !isTaken)
          #expect(lines.first?.contains("X-A: \(count)") == isTaken)
        }
      }
    }

    /// Everything that a test can see of a journey, line by line.
    private static func play(_ journey: DrawnJourney, on stubs: StubTransport) async throws
      -> [String]
    {
      var lines: [String] = []
      for (request, form) in journey.requests {
        switch form {
        case .whole:
          do {
            let response = try await stubs.response(for: request).value
            lines.append("\(text(of: response.head)) \(text(of: response.data))")
          } catch { lines.append(text(of: error)) }
        case .pieces:
          lines.append(await text(of: stubs.events(for: request)))
        case .cancelled:
          lines.append(await text(of: stubs.events(for: request).prefix(1).eraseToAnyPublisher()))
        case .upload(let body):
          lines.append(await text(of: stubs.events(for: request, body: body)))
        }
      }
      lines += stubs.journal.map { "\($0) \($0.request.httpBody?.count ?? -1) \($0.bodyBytes)" }
      lines += stubs.unusedStubs
      do { try stubs.verify() } catch { lines.append("\(error)") }
      return lines
    }

    private static func text(of events: AnyPublisher<TransferEvent, any Error>) async -> String {
      var (heads, body, sent) = ("", Data(), Int64(0))
      do {
        for try await event in events.values {
          switch event {
          case .sent(let progress): sent = progress.completedBytes
          case .head(let head): heads += text(of: head)
          case .chunk(let chunk): body += chunk
          }
        }
        return "\(sent) \(heads) \(text(of: body))"
      } catch {
        return "\(sent) \(heads) \(text(of: body)) \(text(of: error))"
      }
    }

    private static func text(of head: ResponseHead) -> String {
      let lines = head.headers.map { name, value in
        "\(name): \(value.utf8.count > 99 ? "\(value.utf8.count)" : "\(Array(value.utf8))")"
      }
      return "\(head.url) \(head.statusCode) \(head.httpVersion) \(lines)"
    }

    private static func text(of body: Data) -> String { String(decoding: body, as: UTF8.self) }

    private static func text(of error: any Error) -> String {
      guard let error = error as? RESTError else { return "\(error)" }
      let fault = error.underlyingError as? TransportError
      return "\(error.kind) \(error.response.map(text) ?? "-") \(error.body.map(text) ?? "-") "
        + "\(fault?.mayHaveBeenProcessed == true) \(fault?.statusCode ?? -1)"
    }
  }
#endif
