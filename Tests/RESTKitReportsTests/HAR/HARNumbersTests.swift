import Fixtures
import Foundation
import RESTKit
import Testing

@testable import RESTKitReports

@Suite("ST-11: the numbers of a HAR file")
struct HARNumbersTests {
  /// A file with a value in a member of the log, of an entry and of a timing.
  private func file(_ value: String, wait: String = "1") -> String {
    #"""
    {"log": {"version": "1.2", "_x": \#(value), "_n\"\u00e4": [null, {"y": [true, \#(value)]}],
      "entries": [
        {"request": {"url": "http://h/", "method": "GET"}, "time": 1,
         "response": {"status": 200, "headers": [], "content": {}}},
        {"request": {"url": "http://h/", "method": "GET"}, "time": \#(wait), "_x": [[], \#(value)],
         "response": {"status": 200, "headers": [], "content": {"text": "\\\"\#(value),{"}}}]}}
    """#
  }

  private func written(_ text: String) throws -> String {
    String(decoding: try HAR(Data(text.utf8)).data, as: UTF8.self)
  }

  @Test(
    "A number is written as it was read",
    arguments: [
      "0", "7", "-7", "1.5", "1.0", "-12345.0", "5e+20", "1e-07", "-0", "0.10", "1e3", "1E+3",
      "1e-7", "1.5e300",
      "9007199254740993", "9223372036854775807", "-9223372036854775808",
      "9223372036854775808", "18446744073709551615", "-18446744073709551616",
      "3.141592653589793238462643383279", "0.1000000000000000055511151231257827",
      "123456789012345678901234567890.5", "1e400", "-1e400", "1e-400", "0e9", "0.0e400",
    ])
  func asWritten(number: String) throws {
    let text = try written(file(number))
    let quoted = NSRegularExpression.escapedPattern(for: number)
    let places = try Regex(#"(: |^ +)\#(quoted)(,|$)"#).anchorsMatchLineEndings()
    #expect(text.matches(of: places).count == 3)
    #expect(text.contains(#""text" : "\\\"\#(number),{""#))
    // Written again, it is the same.
    #expect(try written(text) == text)
    #expect(try HAR(Data(file(number).utf8)) == HAR(Data(text.utf8)))
  }

  @Test("A file of other digits is another file")
  func different() throws {
    func har(_ number: String) throws -> HAR { try HAR(Data(file(number).utf8)) }
    #expect(try har("18446744073709551615") != har("18446744073709551616"))
    #expect(try har("1.0") != har("1"))
  }

  @Test("A number of many digits is still the duration that it says")
  func readable() throws {
    let har = try HAR(Data(file("1", wait: "12.50000000000000000001").utf8))
    #expect(har.entries[1].metrics.total == .microseconds(12_500))
  }

  @Test("A text that looks like a mark of the writer stays a text")
  func marks() throws {
    let text = try written(
      file("1.0").replacing("true", with: #""number 5", "number as written 6""#))
    #expect(text.contains(#""number 5""#) && text.contains(#""number as written 6""#))
    #expect(text.contains(#""_x" : 1.0,"#))
  }

  @Test("Of members with one name, the one that counts keeps its own digits")
  func repeated() throws {
    for members in [
      #""_x": 1.50, "_x": 2.50"#, #""_x": 1.50, "_x": "a""#, #""_x": "a", "_x": 1.50"#,
    ] {
      let text = try written(file("3").replacing(#""_x": 3"#, with: members))
      let kept = try HARFixtures.json(Data(text.utf8))["log"]?["_x"]
      let read = try HARFixtures.json(Data("{\(members)}".utf8))["_x"]
      #expect(kept == read)
    }
  }

  @Test(
    "Bytes that are no JSON are refused",
    arguments: ["}]", "]1.0", "{\"", "{\"a\\", "[1.0.0]", "{\"log\": -}", ",,1e400", "[1e999"])
  func noJSON(text: String) {
    #expect(throws: HARError.self) { try HAR(Data(text.utf8)) }
  }

  @Test("A file of thousands of such numbers is written in linear time", .timeLimit(.minutes(10)))
  func many() throws {
    let number = "0.1000000000000000055511151231257827"
    let array = "[" + repeatElement(number, count: 3_000).joined(separator: ",") + "]"
    let text = try written(file(array))
    #expect(text.split(separator: number).count == 12_001)
  }
}
