import Streams

/// A list that leaves out the elements that do not decode, and tells which and why.
///
/// As a property, it is an array; its `$` name has what was left out:
///
/// ```swift
/// struct Page: Decodable {
///   @LossyArray var orders: [Order]
/// }
///
/// api.get(endpoint: "orders").decode(type: Page.self)
///   .sink { page in show(page.orders, missing: page.$orders.count) }
/// ```
///
/// A response that is a list as a whole is decoded as the type itself:
/// `decode(type: LossyArray<Order>.self)`.
///
/// What is no list fails as an array does, and so does an absent member. The call's log says how
/// many elements a response was decoded without, and why the first one.
@propertyWrapper
public struct LossyArray<Element> {
  /// The elements that were decoded, in their order.
  public var wrappedValue: [Element]
  /// The elements that were left out, in their order.
  public private(set) var skipped: [SkippedElement]

  /// The elements that were left out, in their order.
  public var projectedValue: [SkippedElement] { skipped }

  /// Creates a list of which nothing was left out.
  public init(wrappedValue: [Element]) {
    self.wrappedValue = wrappedValue
    skipped = []
  }
}

/// An element of a list that was left out, because it does not decode.
public struct SkippedElement: Sendable, Hashable {
  /// The position of the element in the list, counted from zero.
  public let index: Int
  /// The place in the body and what is wrong there, without any value of the body.
  public let reason: String
}

extension SkippedElement: CustomStringConvertible {
  /// A text such as `[3]: "orders[3].total" is a string and must be of type Int`.
  public var description: String { "[\(index)]: \(reason)" }
}

extension LossyArray: Sendable where Element: Sendable {}
extension LossyArray: Equatable where Element: Equatable {}
extension LossyArray: Hashable where Element: Hashable {}

extension LossyArray: Decodable where Element: Decodable {
  /// Reads a list, without the elements that do not decode.
  ///
  /// - Throws: `DecodingError` if the value is no list.
  public init(from decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    self.init(wrappedValue: [])
    while !container.isAtEnd {
      let index = container.currentIndex
      // It goes on to the next element, which a failed `decode` of the container does not.
      let element = try container.superDecoder()
      do {
        // By a container, so that the strategies for dates and others apply.
        wrappedValue.append(try element.singleValueContainer().decode(Element.self))
      } catch {
        let reason = DecodingFailure(ofValid: error).reason
        skipped.append(SkippedElement(index: index, reason: reason))
        SkippedElements.current?.note(reason)
      }
    }
  }
}

extension LossyArray: Encodable where Element: Encodable {
  /// Writes the elements as a list.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(wrappedValue)
  }
}

/// What the lists of one body leave out.
final class SkippedElements: Sendable {
  /// Those of the body that is being decoded; nil if nobody wants to know.
  @TaskLocal static var current: SkippedElements?

  private let state = Lock<(count: Int, first: String)>((0, ""))

  fileprivate func note(_ reason: String) {
    state.withLock { state in
      if state.count == 0 { state.first = reason }
      state.count += 1
    }
  }

  /// The end of a sentence; empty if nothing was left out.
  var text: String {
    let (count, first) = state.withLock(\.self)
    guard count > 0 else { return "" }
    return ", without \(count) element\(count == 1 ? "" : "s"): \(first)"
  }
}
