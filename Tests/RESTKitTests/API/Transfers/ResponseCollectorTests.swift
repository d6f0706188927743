import Foundation
import Testing

@testable import RESTKit

@Suite("An answer that is collected from its pieces")
struct ResponseCollectorTests {
  private func collector(
    _ limits: TransportLimits = TransportLimits(), in journal: CallJournal? = nil
  ) throws -> ResponseCollector {
    let url = try #require(URL(string: "https://api.example.com/v1/a"))
    var collector = ResponseCollector(
      request: RequestSummary(method: .get, url: url), limits: limits, journal: journal)
    collector.take(ResponseHead(url: url, statusCode: 200))
    return collector
  }

  @Test("A large one is no bomb: as many bytes came as it has")
  func large() throws {
    var collector = try collector()
    try collector.take(Data(count: 2 << 20))
    #expect(collector.response?.data.count == 2 << 20)
  }

  @Test("It is held to the limit on whole bodies")
  func limit() throws {
    var limits = TransportLimits()
    limits.bodyBytes = 1_000
    var collector = try collector(limits)
    try collector.take(Data(count: 1_000))
    let error = #expect(throws: RESTError.self) { try collector.take(Data(count: 1)) }
    #expect(error?.kind == .transport(.limitExceeded(.bodyBytes)))
  }

  @Test("It belongs to the journal of its call")
  func journal() throws {
    let call = LogicalCall()
    let response = try collector(in: call.journal).response
    #expect(response?.journal === call.journal)
  }
}
