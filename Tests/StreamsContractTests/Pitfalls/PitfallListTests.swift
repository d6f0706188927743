import StreamsFixtures
import Testing

@Suite("Each pitfall has its tests", .leakFree)
struct PitfallListTests {
  @Test("Each of P-1 to P-27 has a test", arguments: 1...27)
  func isTested(number: Int) throws {
    let files = try StreamsSources.tree(of: "Tests/StreamsContractTests/Pitfalls")
    let titles = try files.flatMap { file in
      try StreamsSources.text(of: file).matches(of: #/"P-(\d+): /#).map { String($0.1) }
    }
    #expect(titles.contains("\(number)"))
  }
}
