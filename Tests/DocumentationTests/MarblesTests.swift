import Streams
import StreamsTesting
import Testing

@Suite("Docs/Marbles.md has the library's texts", .leakFree)
struct MarblesTests {
  private func output(_ name: String) throws -> String {
    try Guide(at: "Docs/Marbles.md").output(name)
  }

  @Test("The text of a MarbleError is the library's")
  func errorText() throws {
    let error = #expect(throws: MarbleError.self) { try MarbleDiagram("--(1") }
    #expect(try output("error") == error?.description)
  }

  @Test("The text of a MarbleMismatch is the library's")
  func mismatchText() throws {
    let marbles = Marbles()
    let source = try marbles.publisher(
      "-1-(23)#", values: Int.init, failure: MarblesExamples.Outage())
    let error = #expect(throws: MarbleMismatch.self) {
      try marbles.expect(
        source.map { $0 * 10 }, toBe: "-a-b-c--|", values: ["a": 10, "b": 20, "c": 30])
    }
    #expect(try output("mismatch") == error?.description)
  }
}
