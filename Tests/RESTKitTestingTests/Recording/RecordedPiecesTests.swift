import Foundation
import Testing

@testable import RESTKitTesting

@Suite("The pieces of a body in which a recording replaces secrets")
struct RecordedPiecesTests {
  struct Row: Sendable {
    let old: [String]
    let other: String
    let new: [String]
  }

  @Test(
    "The cuts stay in their lines, at their places in them, or at the end of a shorter line",
    arguments: [
      Row(old: ["a: 1\n", "b: 2\n"], other: "a: 1\nb: 3\n", new: ["a: 1\n", "b: 3\n"]),
      // A shorter line.
      Row(
        old: ["a: 1\n", "b: secr", "et\n", "c"], other: "a: 1\nb: X\nc",
        new: ["a: 1\n", "b: X\n", "", "c"]),
      Row(old: ["b: secr", "et\nc\nd"], other: "b: X\nc\nd", new: ["b: X\n", "c\nd"]),
      // A longer line.
      Row(
        old: ["a: s", "e\nb", "\nc"], other: "a: placeholder\nb\nc",
        new: ["a: p", "laceholder\nb", "\nc"]),
      Row(old: ["a", "b"], other: "a longer one", new: ["a", " longer one"]),
      // Empty pieces, and cuts in the middle of a line before one at its end.
      Row(old: ["", "ab", "cd\n", "", "e"], other: "x\ne", new: ["", "x\n", "", "", "e"]),
      Row(old: ["a\nb", "\nc"], other: "a\nxyz\nc", new: ["a\nx", "yz\nc"]),
      // Fewer and more lines than before.
      Row(old: ["a\nb", "\nc\n", "d"], other: "xy", new: ["xy", "", ""]),
      Row(old: ["ab", "c"], other: "x\ny\nz", new: ["x\n", "y\nz"]),
    ])
  func cuts(row: Row) {
    let old = row.old.enumerated().map { index, text in
      StubPiece(Data(text.utf8), after: .seconds(index))
    }
    let new = StubPiece.pieces(of: Data(row.other.utf8), cutAs: old)
    #expect(new.map { String(decoding: $0.data, as: UTF8.self) } == row.new)
    #expect(new.map(\.wait) == old.map(\.wait))
  }
}
