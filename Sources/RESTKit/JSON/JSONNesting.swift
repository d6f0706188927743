/// The open objects and arrays at one place of a document, one bit each.
///
/// Only what is deeper than 64 levels allocates.
struct JSONNesting {
  /// The deepest nesting that Foundation's parsers accept.
  static let limit = 512

  private(set) var depth = 0
  private var kinds: UInt64 = 0
  private var outerKinds: [UInt64] = []

  /// Whether the innermost open container is an object.
  ///
  /// It means nothing at depth zero.
  var isInObject: Bool { kinds & 1 == 1 }

  /// Opens a container, unless that would go past ``limit``.
  ///
  /// - Returns: Whether the container was opened.
  mutating func open(object: Bool) -> Bool {
    guard depth < Self.limit else { return false }
    if depth > 0, depth.isMultiple(of: UInt64.bitWidth) { outerKinds.append(kinds) }
    kinds = kinds << 1 | (object ? 1 : 0)
    depth += 1
    return true
  }

  /// Closes the innermost container, which must be there.
  mutating func close() {
    depth -= 1
    kinds >>= 1
    if depth > 0, depth.isMultiple(of: UInt64.bitWidth) { kinds = outerKinds.removeLast() }
  }
}
