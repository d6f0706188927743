import Foundation
import Testing

@testable import RESTKit

@Suite("A response collected from pieces")
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

  @Test("A large response is not a bomb, because as many bytes arrived")
  func large() throws {
    var collector = try collector()
    try collector.take(Data(count: 2 << 20))
    #expect(collector.response?.data.count == 2 << 20)
  }

  @Test("The limit on whole bodies applies to a collected response")
  func limit() throws {
    var limits = TransportLimits()
    limits.bodyBytes = 1_000
    var collector = try collector(limits)
    try collector.take(Data(count: 1_000))
    let error = #expect(throws: RESTError.self) { try collector.take(Data(count: 1)) }
    #expect(error?.kind == .transport(.limitExceeded(.bodyBytes)))
  }

  @Test("A collected response belongs to the journal of its call")
  func journal() throws {
    let call = LogicalCall()
    let response = try collector(in: call.journal).response
    #expect(response?.journal === call.journal)
  }
}
