/// Where in a test something was written: what a test library needs to mark the line.
public struct StubLocation: Sendable, CustomStringConvertible {
  /// Such as `ShopTests/OrderTests.swift`.
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

  /// Such as `ShopTests/OrderTests.swift:12`.
  public var description: String { "\(fileID):\(line)" }
}
