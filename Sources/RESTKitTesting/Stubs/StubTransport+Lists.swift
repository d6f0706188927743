import RESTKit
import Streams

extension StubTransport {
  /// Creates a transport that answers in memory from a list of scripts, such as those of a folder
  /// (``StubAPIResponse/scripts(in:fileID:filePath:line:column:)``).
  ///
  /// - Parameters:
  ///   - scripts: The scripts. Each one is used in its own order.
  ///   - scheduler: The scheduler of delays, such as a `TestScheduler` for virtual time. By default
  ///     there are no delays.
  ///   - hidesSecrets: Whether reports leave out values whose names are names of secrets.
  ///   - fileID: The module and file of the call, for reports.
  ///   - filePath: The path of the file.
  ///   - line: The line of the call.
  ///   - column: The column of the call.
  public convenience init(
    _ scripts: [StubAPIResponse],
    scheduler: any Scheduler = StandardTime.scheduler(else: .immediate),
    hidesSecrets: Bool = false, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) {
    self.init(
      log: StubLog(
        scripts,
        location: StubLocation(fileID: fileID, filePath: filePath, line: line, column: column),
        hidesSecrets: hidesSecrets),
      world: StubMemory(scheduler: scheduler))
  }

  /// Creates a transport that answers over a real socket from a list of scripts.
  ///
  /// - Parameters:
  ///   - scripts: The scripts. Each one is used in its own order.
  ///   - transport: The transport that carries the requests. It must not use a proxy for 127.0.0.1.
  ///   - hidesSecrets: Whether reports leave out values whose names are names of secrets.
  ///   - fileID: The module and file of the call, for reports.
  ///   - filePath: The path of the file.
  ///   - line: The line of the call.
  ///   - column: The column of the call.
  /// - Throws: ``MockServerError`` if the server cannot start.
  public convenience init(
    _ scripts: [StubAPIResponse], over transport: any Transport, hidesSecrets: Bool = false,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) throws(MockServerError) {
    let world = try StubSocket(transport: transport)
    self.init(
      log: StubLog(
        scripts,
        location: StubLocation(fileID: fileID, filePath: filePath, line: line, column: column),
        hidesSecrets: hidesSecrets),
      world: world)
  }
}
