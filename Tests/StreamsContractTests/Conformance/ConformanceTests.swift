import StreamsFixtures
import StreamsTesting
import Testing

@Suite("Every operator, publisher and subject keeps the contract", .leakFree)
struct ConformanceTests {
  @Test("C-1 to C-16: the conformance kit finds no violation", arguments: ConformanceEntry.all)
  func conforms(entry: ConformanceEntry) async {
    let report = await entry.report()
    #expect(report.isConforming, "\(report)")
  }
}
