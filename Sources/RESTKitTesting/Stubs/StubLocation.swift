/// A location in a test.
///
/// A test library uses it to mark the line.
public struct StubLocation: Sendable, CustomStringConvertible {
  /// The module and file, such as `ShopTests/OrderTests.swift`.
  public let fileID: StaticString
  /// The path of the file on the machine that compiled it.
  public let filePath: StaticString
  public let line: UInt
  public let column: UInt

  public init(
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) {
    self.fileID = fileID
    self.filePath = filePath
    self.line = line
    self.column = column
  }

  /// A text such as `ShopTests/OrderTests.swift:12`.
  public var description: String { "\(fileID):\(line)" }
}
