import Foundation
import RESTKit
import Streams

/// The examples of Docs/LiveStreams.md, which `LiveStreamsTests` runs.
struct LiveStreamsExamples {
  let api: any RESTAPI

  // snippet: lines
  func log(of build: Int) -> AnyPublisher<String, any Error> {
    api.events(endpoint: "builds/\(build)/log")
      .validateStatus()
      .lines()
  }
  // end

  // snippet: strict
  func strictLines(of chunks: some Publisher<Data, any Error>) -> AnyPublisher<String, any Error> {
    chunks.lines(limit: 4_096, invalidUTF8: .fail)
  }
  // end

  // snippet: row
  nonisolated struct Row: Decodable, Sendable {
    let id: Int
    let name: String
  }
  // end

  // snippet: decode
  func rows() -> AnyPublisher<Row, any Error> {
    api.events(endpoint: "export.ndjson").decodeLines(of: Row.self)
  }
  // end

  // snippet: number
  func report(_ error: any Error) -> String {
    guard let error = error as? RESTError, let line = error.underlyingError as? LineError else {
      return "\(error)"
    }
    return "line \(line.line), \(line.kind): \(error.reason)"
  }
  // end

  // snippet: skip
  func validRows(
    tellingOf tell: @escaping @Sendable (RESTError) -> Void
  ) -> AnyPublisher<Row, any Error> {
    api.events(endpoint: "export.ndjson").decodeLines(of: Row.self, skippingInvalid: tell)
  }
  // end

  // snippet: sequence
  func measurements() -> AnyPublisher<[Double], any Error> {
    api.events(endpoint: "measurements").decodeLines(of: [Double].self, format: .textSequence)
  }
  // end

  // snippet: events
  func prices(in chunks: some Publisher<Data, any Error>) -> AnyPublisher<Row, any Error> {
    chunks.serverSentEvents()
      .filter { $0.type == "price" }
      .tryMap { try $0.decoded(as: Row.self) }
      .eraseToAnyPublisher()
  }
  // end
}
