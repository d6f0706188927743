/// The open objects and arrays at one position of a document, one bit each.
///
/// It allocates memory only for more than 64 levels.
struct JSONNesting {
  /// The deepest nesting that Foundation's parsers accept.
  static let limit = 512

  private(set) var depth = 0
  private var kinds: UInt64 = 0
  private var outerKinds: [UInt64] = []

  /// Whether the innermost open container is an object.
  ///
  /// The value is undefined at depth zero.
  var isInObject: Bool { kinds & 1 == 1 }

  /// Opens a container, unless that would exceed ``limit``.
  ///
  /// - Returns: Whether the container was opened.
  mutating func open(object: Bool) -> Bool {
    guard depth < Self.limit else { return false }
    if depth > 0, depth.isMultiple(of: UInt64.bitWidth) { outerKinds.append(kinds) }
    kinds = kinds << 1 | (object ? 1 : 0)
    depth += 1
    return true
  }

  /// Closes the innermost container, which must exist.
  mutating func close() {
    depth -= 1
    kinds >>= 1
    if depth > 0, depth.isMultiple(of: UInt64.bitWidth) { kinds = outerKinds.removeLast() }
  }
}
