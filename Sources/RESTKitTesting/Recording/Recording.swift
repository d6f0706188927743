import Foundation
import RESTKit
import RESTKitReports

/// A recording that is under way.
final class Recording: Sendable {
  private let recorder: ExchangeRecorder
  private let file: RecordingFile
  private let names: RecordedNames
  private let standIn: @Sendable (RecordedSecret) -> String?
  private let location: StubLocation

  init(
    _ recorder: ExchangeRecorder, to file: RecordingFile, names: RecordedNames,
    standIn: @escaping @Sendable (RecordedSecret) -> String?, location: StubLocation
  ) {
    self.recorder = recorder
    self.file = file
    self.names = names
    self.standIn = standIn
    self.location = location
  }

  /// Writes the exchanges that were recorded so far.
  ///
  /// - Returns: The reasons why nothing was written; empty if it was.
  func save() -> [StubFailure] {
    let exchanges = recorder.exchanges
    let flaws = exchanges.compactMap { exchange in
      exchange.flaw.map { "\(RequestSummary(exchange.request)) cannot be recorded: \($0)" }
    }
    guard flaws.isEmpty else { return flaws.map(failure) }
    do {
      try file.write(HAR(recording: exchanges, names: names, standIn: standIn))
      return []
    } catch {
      return [failure("It cannot be written: \(error)")]
    }
  }

  /// The text about a recording that was never verified.
  var notice: String? {
    recorder.exchanges.isEmpty ? nil : "The recording \(file.url.path) was not written."
  }

  private func failure(_ reason: String) -> StubFailure {
    StubFailure(
      .recordingFailed, at: location, "The recording \(file.url.path) was not written.\n\(reason)")
  }
}

/// The file of a recording.
struct RecordingFile: Sendable {
  let url: URL
  var name: String { url.lastPathComponent }

  /// - Parameters:
  ///   - path: The path, absolute or relative to the folder of a source file.
  ///   - sourceFile: The path of that source file.
  init(_ path: String, besides sourceFile: String) {
    let folder = URL(filePath: sourceFile).deletingLastPathComponent()
    url =
      path.hasPrefix("/") ? URL(filePath: path) : folder.appending(path: path).standardizedFileURL
  }

  /// Returns the recorded traffic, or nil if there is no file.
  func read() throws(RecordingError) -> HAR? {
    do {
      return try HAR(contentsOf: url)
    } catch let error as HARError {
      throw .invalid(path: url.path, reason: error)
    } catch {
      guard FileManager.default.fileExists(atPath: url.path) else { return nil }
      throw .unreadable(path: url.path, reason: error.localizedDescription)
    }
  }

  /// Writes the file in one step, and creates its folders.
  func write(_ har: HAR) throws {
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try har.write(to: url)
  }
}
