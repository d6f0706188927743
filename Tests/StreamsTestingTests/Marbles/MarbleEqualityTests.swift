import Streams
import StreamsTesting
import Testing

@Suite("Comparisons of values that mislead", .leakFree)
struct MarbleEqualityTests {
  private final class Box: Sendable {}

  @MainActor private class Animal: Equatable {
    nonisolated let name: String
    nonisolated init(_ name: String) { self.name = name }
    nonisolated static func == (lhs: Animal, rhs: Animal) -> Bool { lhs.name == rhs.name }
  }

  private final class Dog: Animal {}
  private final class Cat: Animal {}

  private struct Cage: Sendable {
    var animal: Animal
  }

  /// An object that is equal to none, as one with a NaN in it.
  private final class Gauge: Sendable, Equatable {
    let level: Double
    init(_ level: Double) { self.level = level }
    static func == (lhs: Gauge, rhs: Gauge) -> Bool { lhs.level == rhs.level }
  }

  /// Its cases look alike, and only one of them keeps it from being `Equatable` by itself.
  private enum Quiet: Sendable, CustomStringConvertible {
    case one, two
    case box(Box)
    var description: String { "quiet" }
  }

  private enum QuietFault: Error, CustomStringConvertible {
    case one, two
    case box(Box)
    var description: String { "quiet" }
  }

  /// Hides its parts behind the look of something else.
  private struct Mask: Sendable, CustomReflectable {
    var secret: Int
    var look: Mirror.DisplayStyle?
    var customMirror: Mirror { Mirror(self, children: ["part": 1], displayStyle: look) }
  }

  private enum MaskedCase: Sendable, CustomReflectable {
    case number(Int)
    case box(Box)
    var customMirror: Mirror { Mirror(self, children: [], displayStyle: .enum) }
  }

  private struct Row: Sendable {
    var number: Int
    var box: Box?
  }

  private func isSame<Value: Sendable>(_ value: Value, _ expected: Value) throws -> Bool {
    do {
      return try Marbles().expect(Just(value), toBe: "(x|)", values: ["x": expected])
    } catch is MarbleMismatch {
      return false
    }
  }

  @Test("Objects of a hierarchy are compared by the == that they share, in either order")
  func hierarchies() throws {
    let (animal, dog, cat) = (Animal("Rex"), Dog("Rex"), Cat("Rex"))
    for one in [animal, dog, cat] {
      for other in [animal, dog, cat] {
        #expect(try isSame(one, other))
        #expect(try isSame(Cage(animal: one), Cage(animal: other)))
      }
      #expect(try !isSame(one, Dog("Bello")))
      #expect(try !isSame(Cage(animal: one), Cage(animal: Cat("Bello"))))
    }
  }

  @Test("An object is itself, whatever its == says, and NaN in it is for its == alone")
  func objects() throws {
    let gauge = Gauge(.nan)
    #expect(try isSame(gauge, gauge))
    #expect(try isSame([gauge], [gauge]))
    #expect(try !isSame(gauge, Gauge(.nan)))
    #expect(try !isSame([1: gauge], [1: Gauge(.nan)]))
    #expect(try isSame(Gauge(1), Gauge(1)))
  }

  @Test("Cases that look alike are not the same")
  func cases() throws {
    #expect(try isSame(QuietFault.one, .one))
    #expect(try !isSame(QuietFault.one, .two))
    #expect(try !isSame(Quiet.one, .two))
    #expect(try !isSame(Quiet.one, .box(Box())))
    let error = #expect(throws: MarbleMismatch.self) {
      try Marbles().expect(Just(Quiet.one), toBe: "(x|)", values: ["x": .two])
    }
    #expect(error?.notes.last?.hasPrefix("Quiet is not Equatable") == true)
  }

  @Test(
    "What a value shows of itself is no proof, whatever it looks like",
    arguments: [
      nil, .struct, .class, .enum, .tuple, .optional, .collection, .dictionary, .set,
    ] as [Mirror.DisplayStyle?])
  func masks(look: Mirror.DisplayStyle?) throws {
    #expect(try !isSame(Mask(secret: 1, look: look), Mask(secret: 2, look: look)))
  }

  @Test("A case that hides its value is no proof, either")
  func maskedCases() throws {
    #expect(try !isSame(MaskedCase.number(1), .number(2)))
  }

  @Test("Sets are compared without an order, also with NaN in them")
  func sets() throws {
    var roomy = Set<Double>(minimumCapacity: 1_000)
    roomy.formUnion((0..<40).map(Double.init) + [.nan])
    let tight = Set((0..<40).reversed().map(Double.init) + [.nan])
    #expect(try isSame(roomy, tight))
    #expect(try !isSame(roomy, tight.union([41])))
    #expect(try !isSame(roomy.subtracting([3]), tight.subtracting([4])))
    #expect(try !isSame(Set([Double.nan, 1]), [1, 2]))
    #expect(try !isSame(Set([Double.nan, 1]), [1, .nan, .nan]))
    #expect(try isSame(Set([[Double.nan, 1], [.nan, 2]]), [[.nan, 2], [.nan, 1]]))
    #expect(try !isSame(Set([[Double.nan, 1], [.nan, 2]]), [[.nan, 2], [.nan, 2]]))
    #expect(try isSame(["a": Set([Double.nan])], ["a": [.nan]]))
    #expect(try isSame([Double.nan: 1, 2: 2], [2: 2, .nan: 1]))
    #expect(try !isSame([Double.nan: 1], [.nan: 2]))
    let (box, other) = (Box(), Box())
    #expect(try isSame([Double.nan: box], [.nan: box]))
    #expect(try !isSame([Double.nan: box], [.nan: other]))
  }

  @Test("Nested optionals, existentials and boxes of any type keep what they are")
  func nesting() throws {
    #expect(try isSame(Int??.some(nil), .some(nil)))
    #expect(try !isSame(Int??.some(nil), Int??.none))
    #expect(try !isSame(Int??.none, .some(nil)))
    #expect(try isSame(Row??.some(nil), .some(nil)))
    #expect(try !isSame(Row??.some(nil), Row??.none))
    #expect(try isSame(Double??.some(.nan), .some(.nan)))
    #expect(try !isSame([1, 2] as [any Sendable], [1, 2.0]))
    #expect(try !isSame([Int?.none] as [any Sendable], [String?.none]))
    #expect(try isSame([[1: Box?.none]] as [any Sendable], [[1: Box?.none]]))
    #expect(try isSame((1, (name: "a", Double.nan)), (1, (name: "a", .nan))))
  }

  private indirect enum List: Sendable, Equatable {
    case end
    case item(Int, List)
    static func of(_ count: Int, _ end: Int) -> List {
      (0..<count).reduce(.item(end, .end)) { list, number in .item(number, list) }
    }
  }

  @Test("Long values and long diagrams are compared in time", .timeLimit(.minutes(10)))
  func time() throws {
    // A long list of its own is compared once, not again from each of its links.
    #expect(try !isSame(List.of(3_000, 1), .of(3_000, 2)))
    let numbers = Array(0..<200_000)
    #expect(try !isSame(numbers, numbers.dropLast() + [-1]))
    let rows = (0..<20_000).map { Row(number: $0) }
    #expect(try isSame(rows, rows))
    #expect(try !isSame(rows, rows.dropLast() + [Row(number: -1)]))
    // Each value is another one's, so that each looks for its symbol.
    let count = 800
    let symbols = (0...count).map { "\"s\($0)\"" }
    let legend = Dictionary(uniqueKeysWithValues: (0...count).map { ("s\($0)", $0) })
    let marbles = Marbles()
    let source = try marbles.publisher(symbols.dropFirst().joined(), values: legend)
    let error = #expect(throws: MarbleMismatch.self) {
      try marbles.expect(source, toBe: symbols.dropLast().joined(), values: legend)
    }
    #expect(error?.actual.events.first?.mark == .value("s1"))
  }
}
