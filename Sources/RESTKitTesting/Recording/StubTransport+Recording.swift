import Foundation
import RESTKit
import RESTKitReports
import Streams

extension StubTransport {
  /// Records the exchanges with a real server once, and plays them from then on.
  ///
  /// ```swift
  /// @Test(.stubs) func orders() async throws {
  ///   let stubs = try StubTransport.record(to: "Fixtures/orders.har")
  ///   let orders = try await ShopAPI(transport: stubs).orders.value
  ///   #expect(orders.count == 2)
  /// }
  /// ```
  ///
  /// While it records, requests go through `transport`. The file is written in one step when the
  /// test is verified: by the trait `.stubs`, ``verifyingAll(_:report:)``, or ``verify()``. It is
  /// written only if nothing failed: the test threw no error, and no verification and no stub
  /// failed. An `#expect` that fails throws no error. An exchange that cannot be recorded is a
  /// failure: one that has not ended, one that ended with an error other than a `TransportError`,
  /// and one with a response larger than `bodyLimit`.
  ///
  /// While it plays, no request reaches `transport`. Each recorded exchange is a stub. Exchanges
  /// with the same method, URL and body are answered in their recorded order, others in any order.
  /// A request must have the recorded method, URL and body, and the recorded values of `Accept`,
  /// `Authorization`, `Content-Type`, `Cookie`, `If-Match`, `If-Modified-Since`, `If-None-Match`,
  /// `Last-Event-ID` and `Range`. A body that was recorded in pieces arrives in the same pieces. A
  /// failure is repeated with the same `TransportError`. An exchange that was canceled stays silent
  /// until it is canceled, or until the request's `timeoutInterval` is over.
  ///
  /// Secrets are never written. A value with the name of a secret, such as `Authorization`,
  /// `access_token` or `password`, is replaced with a placeholder, in header fields, queries,
  /// forms, parts of multipart forms, JSON, markup and texts with `name=value`, also inside of one
  /// another. A body in gzip is recorded decompressed; one in another coding is left out. Equal
  /// values get the same placeholder, and are replaced in all other places, too, but not as a host,
  /// a word of a path or a name. A placeholder has the length of its secret, if this has eight
  /// characters or more, and the format of a UUID, of a date, of digits, of hexadecimal digits, of
  /// base64, of capital letters and of a JSON Web Token, which keeps its claims. `standIn` gives
  /// others. A secret with an unsuspicious name is not recognized, unless `secrets` contains the
  /// name. So read a new file before you check it in.
  ///
  /// A request must send a secret that a response has issued as it was played. Any value matches a
  /// secret of the test's own, and any port a redirect URI on this machine. Where the recorded
  /// response repeats such a secret or port, the played one has what the test has sent. So the
  /// `state` of a sign-in comes back, and so does the `nonce` in a token.
  ///
  /// The file is HAR 1.2. Its log lists the placeholders in `_placeholders`, and the names of the
  /// test's own in `_secretNames`. A second recording of the same exchanges changes only times in
  /// it.
  ///
  /// - Parameters:
  ///   - path: The path of the file. A relative path starts at the folder of the test's source
  ///     file.
  ///   - transport: The transport that carries the requests while it records.
  ///   - mode: The rule by which it records or plays.
  ///   - secrets: More names of header fields, query items, form fields and JSON members that hold
  ///     secrets, besides those in the `secretHeaders` of the APIs whose calls it records.
  ///   - shown: Names that look like names of secrets but are not, such as `session`.
  ///   - standIn: A closure that returns a valid placeholder for a secret, or nil for one of the
  ///     recording's own. It gives each secret another one, which is in no other place of the
  ///     exchanges. If it returns the value itself, the value is shown. It runs when the file is
  ///     written, once for each secret, on the thread that verifies the test.
  ///   - bodyLimit: The maximum size of a recorded body, in bytes. A larger request body is
  ///     compared only by its size.
  ///   - scheduler: The scheduler of the recorded waits between pieces. By default there are no
  ///     waits.
  ///   - fileID: The module and file of the call, for reports.
  ///   - filePath: The path of the file.
  ///   - line: The line of the call.
  ///   - column: The column of the call.
  /// - Throws: ``RecordingError`` if there is no file to play, or the file is invalid.
  public static func record(
    to path: String, over transport: any Transport = .shared, mode: RecordingMode = .automatic,
    secrets: [String] = [], shown: [String] = [],
    standIn: @escaping @Sendable (RecordedSecret) -> String? = { _ in nil },
    bodyLimit: Int = 1 << 20, scheduler: any Scheduler = .immediate, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) throws(RecordingError) -> StubTransport {
    try record(
      RecordingFile(path, besides: "\(filePath)"), over: transport,
      mode: mode.resolved(in: ProcessInfo.processInfo.environment),
      names: RecordedNames(secrets: secrets, shown: shown), standIn: standIn,
      bodyLimit: bodyLimit,
      scheduler: scheduler,
      clock: RecordingClock(),
      location: StubLocation(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  static func record(
    _ file: RecordingFile, over transport: any Transport, mode: RecordingMode, names: RecordedNames,
    standIn: @escaping @Sendable (RecordedSecret) -> String? = { _ in nil }, bodyLimit: Int,
    scheduler: any Scheduler, clock: RecordingClock, location: StubLocation
  ) throws(RecordingError) -> StubTransport {
    if mode != .always, let har = try file.read() {
      let values = RecordedValues(har, names: names)
      let scripts = StubAPIResponse.scripts(
        playing: har, of: file, values: values, location: location)
      let patience: any Scheduler = scheduler is ImmediateScheduler ? .continuous : scheduler
      return StubTransport(
        log: StubLog(scripts, location: location, hidesSecrets: true),
        world: RecordedWorld(StubMemory(scheduler: scheduler, silence: patience), values))
    }
    guard mode != .never else { throw .missing(path: file.url.path) }
    let recorder = ExchangeRecorder(transport, bodyLimit: bodyLimit, clock: clock)
    let recording = Recording(
      recorder, to: file, names: names, standIn: standIn, location: location)
    // This stub passes every request on.
    let any = StubStep(
      request: StubRequest(), statusCode: 200, headers: [:], result: .success(Data()), delay: .zero,
      location: location, uses: 0...Int.max)
    return StubTransport(
      log: StubLog(
        [StubAPIResponse(steps: [any])], location: location, hidesSecrets: true,
        recording: recording),
      world: recorder)
  }
}
