import RESTKit
import RESTKitReports

/// A recording that is under way.
final class Recording: Sendable {
  private let recorder: ExchangeRecorder
  private let file: RecordingFile
  private let names: SecretNames
  private let location: StubLocation

  init(
    _ recorder: ExchangeRecorder, to file: RecordingFile, names: SecretNames, location: StubLocation
  ) {
    self.recorder = recorder
    self.file = file
    self.names = names
    self.location = location
  }

  /// Writes what was recorded so far.
  ///
  /// - Returns: Why nothing was written; nothing where it was.
  func save() -> [StubFailure] {
    let exchanges = recorder.exchanges
    let flaws = exchanges.compactMap { exchange in
      exchange.flaw.map { "\(RequestSummary(exchange.request)) cannot be recorded: \($0)" }
    }
    guard flaws.isEmpty else { return flaws.map(failure) }
    do {
      try file.write(HAR(recording: exchanges, names: names))
      return []
    } catch {
      return [failure("It cannot be written: \(error)")]
    }
  }

  /// What a recording that nobody verified is told of.
  var notice: String? {
    recorder.exchanges.isEmpty ? nil : "The recording \(file.url.path) was not written."
  }

  private func failure(_ reason: String) -> StubFailure {
    StubFailure(
      .recordingFailed, at: location, "The recording \(file.url.path) was not written.\n\(reason)")
  }
}
