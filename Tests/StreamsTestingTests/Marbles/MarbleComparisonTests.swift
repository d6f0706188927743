import Streams
import StreamsTesting
import Testing

@Suite("Comparisons of values of marbles", .leakFree)
struct MarbleComparisonTests {
  private final class Box: Sendable {
    let number: Int
    init(_ number: Int) { self.number = number }
  }

  private final class Account: Sendable, Equatable {
    let number: Int
    init(_ number: Int) { self.number = number }
    static func == (lhs: Account, rhs: Account) -> Bool { lhs.number == rhs.number }
  }

  private struct Reading: Equatable {
    var place: String
    var celsius: Double
    var series: [Double?] = []
  }

  private struct Plain: Sendable {
    var name: String
    var box: Box?
  }

  /// Shows less than it is.
  private struct Veiled: Sendable, CustomReflectable, CustomStringConvertible {
    var secret: String
    var description: String { "veiled" }
    var customMirror: Mirror { Mirror(self, children: []) }
  }

  /// Not equal to anything, whatever it holds.
  private struct Stubborn: Equatable {
    var number: Double
    static func == (lhs: Stubborn, rhs: Stubborn) -> Bool { false }
  }

  private indirect enum Chain: Sendable {
    case end, stop
    case link(Double, Chain)
    case other(Double, Chain)

    static func of(_ count: Int, _ number: Double, _ end: Chain = .end) -> Chain {
      (0..<count).reduce(end) { chain, _ in .link(number, chain) }
    }
  }

  /// Returns the mismatch of a stream of one value and an expectation of another.
  private func mismatch<Value: Sendable>(_ value: Value, _ expected: Value) throws
    -> MarbleMismatch?
  {
    do {
      try Marbles().expect(Just(value), toBe: "(x|)", values: ["x": expected])
      return nil
    } catch let mismatch as MarbleMismatch {
      return mismatch
    }
  }

  private func isSame<Value: Sendable>(_ value: Value, _ expected: Value) throws -> Bool {
    try mismatch(value, expected) == nil
  }

  @Test("Two objects without == are not the same, and the mismatch asks for Equatable")
  func objects() throws {
    let box = Box(1)
    #expect(try isSame(box, box))
    let note = "Box is not Equatable, so a value of it may only equal itself; make it Equatable"
    #expect(try mismatch(Box(1), Box(1))?.notes.last == note)
    #expect(
      try mismatch(Plain(name: "a", box: Box(1)), Plain(name: "a", box: box))?.notes.last == note)
    #expect(try isSame(Plain(name: "a", box: box), Plain(name: "a", box: box)))
    #expect(try isSame(Plain(name: "a", box: nil), Plain(name: "a", box: nil)))
    #expect(try !isSame(Plain(name: "a", box: nil), Plain(name: "a", box: box)))
    let named = try mismatch(Plain(name: "a", box: box), Plain(name: "b", box: box))
    #expect(named != nil && named?.notes.contains(note) == false)
    #expect(try isSame(Account(1), Account(1)))
    #expect(
      try mismatch(Account(1), Account(2))?.notes.contains { $0.contains("Equatable") } == false)
    let values: [any Sendable] = [box, 1]
    #expect(try isSame(values, values))
    #expect(try !isSame(values, [box, 2]))
    #expect(try !isSame(values, [box, "1"]))
    #expect(try !isSame(values, [box]))
  }

  @Test("Functions, and values that show less than they are, need Equatable, too")
  func opaque() throws {
    let function: @Sendable () -> Int = { 1 }
    #expect(try mismatch(function, function)?.notes.last?.contains("make it Equatable") == true)
    let veiled = try mismatch(Veiled(secret: "a"), Veiled(secret: "b"))
    #expect(
      veiled?.notes.last
        == "Veiled is not Equatable, so a value of it may only equal itself; make it Equatable")
  }

  @Test("NaN is what an expectation of NaN expects, also inside of other values")
  func nan() throws {
    #expect(try isSame(Double.nan, .nan))
    #expect(try isSame(Float.nan, Float.signalingNaN))
    #expect(try !isSame(Double.nan, 1))
    #expect(try !isSame(1, Double.nan))
    #expect(try isSame([1, Double.nan], [1, .nan]))
    #expect(try !isSame([1, Double.nan], [2, .nan]))
    #expect(try !isSame([1, Double.nan], [.nan, 1]))
    #expect(try isSame(Double?.some(.nan), .some(.nan)))
    #expect(try !isSame(Double?.some(.nan), nil))
    #expect(try isSame((1, Double.nan), (1, .nan)))
    #expect(try !isSame((1, Double.nan), (2, .nan)))
    let many = Dictionary(uniqueKeysWithValues: (0..<50).map { ("\($0)", Double.nan) })
    let again = Dictionary(uniqueKeysWithValues: (0..<50).reversed().map { ("\($0)", Double.nan) })
    #expect(try isSame(many, again))
    #expect(try !isSame(many, again.filter { $0.key != "7" }))
    #expect(try !isSame(["a": Double.nan], ["b": .nan]))
    #expect(try !isSame(["a": Double.nan], ["a": 1]))
    let reading = Reading(place: "roof", celsius: .nan, series: [.nan, nil, 2])
    #expect(try isSame(reading, reading))
    #expect(try !isSame(reading, Reading(place: "cellar", celsius: .nan, series: [.nan, nil, 2])))
    #expect(try !isSame(reading, Reading(place: "roof", celsius: .nan, series: [.nan, nil, 3])))
    #expect(try !isSame(reading, Reading(place: "roof", celsius: .nan, series: [.nan, 1, 2])))
    #expect(try isSame(Result<Double, Never>.success(.nan), .success(.nan)))
    let mixed: [any Sendable] = [Double.nan]
    #expect(try !isSame(mixed, [Float.nan]))
  }

  @Test("Without a NaN, what == says counts, whatever the parts are")
  func equality() throws {
    #expect(try !isSame(Stubborn(number: 1), Stubborn(number: 1)))
    #expect(try !isSame([Stubborn(number: 1)], [Stubborn(number: 1)]))
    let pair = try isSame((Stubborn(number: 1), Double.nan), (Stubborn(number: 1), .nan))
    #expect(!pair, "the NaN of another part explains nothing")
  }

  @Test("Enums, types and nesting without end are compared part by part")
  func parts() throws {
    #expect(try isSame(Chain.end, .end))
    #expect(try !isSame(Chain.end, .stop))
    #expect(try !isSame(Chain.end, .link(1, .end)))
    #expect(try !isSame(Chain.link(1, .end), .end))
    #expect(try !isSame(Chain.link(1, .end), .other(1, .end)))
    #expect(try !isSame(Chain.link(1, .end), .link(1, .stop)))
    #expect(try isSame(Chain.of(500, .nan), .of(500, .nan)))
    #expect(try !isSame(Chain.of(500, 1), .of(500, 1, .stop)))
    #expect(try !isSame(Chain.of(500, 1), .of(501, 1)))
    #expect(try isSame(Int.self as any Sendable.Type, Int.self))
    #expect(try !isSame(Int.self as any Sendable.Type, String.self))
    #expect(try isSame((), ()))
  }

  private enum Fault: Error, CustomStringConvertible {
    case offline
    case limit(Double)
    case held(Box)
    var description: String { "fault" }
  }

  @Test("A failure is compared in the same way")
  func failures() throws {
    let marbles = Marbles()
    let limit = try marbles.publisher("-#", failure: Fault.limit(.nan))
    try marbles.expect(limit, toBe: "-#", failure: .limit(.nan))
    try marbles.expect(
      marbles.publisher("-#", failure: Fault.offline), toBe: "-#", failure: .offline)
    #expect(throws: MarbleMismatch.self) {
      try marbles.expect(limit, toBe: "-#", failure: .limit(1))
    }
    #expect(throws: MarbleMismatch.self) {
      try marbles.expect(limit, toBe: "-#", failure: .offline)
    }
    let held = try marbles.publisher("-#", failure: Fault.held(Box(1)))
    let error = #expect(throws: MarbleMismatch.self) {
      try marbles.expect(held, toBe: "-#", failure: .held(Box(1)))
    }
    #expect(error?.notes.last?.hasPrefix("Box is not Equatable") == true)
  }
}
