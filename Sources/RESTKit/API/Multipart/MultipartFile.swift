import Foundation
import Streams

/// A file of a form, as it was when the request was made.
///
/// No other file is sent under its length.
struct MultipartFile: Sendable {
  private let url: URL
  private let part: String
  private let request: RequestSummary?
  private let version: Version

  /// - Parameters:
  ///   - part: The part's name in error texts.
  ///   - request: The request in error texts.
  /// - Throws: `RESTError` of kind `file` if there is no readable file.
  init(_ url: URL, part: String, request: RequestSummary?) throws(RESTError) {
    self.url = url
    self.part = part
    self.request = request
    do {
      version = try Version(of: url)
    } catch {
      throw Self.unreadable(url, part, request, error, attempts: 0)
    }
  }

  var length: Int64 { version.length }

  /// The bytes, in pieces on demand.
  ///
  /// The file is open only while they are read.
  ///
  /// The publisher fails with `RESTError` of kind `file` if the file has changed. It checks the
  /// file before its first byte and after its last byte, when the form is not yet complete.
  var chunks: AnyPublisher<Data, any Error> {
    let content = Deferred { Result { try open() }.publisher }.flatMap(\.chunks)
    let end = Deferred { Result { try checkVersion() }.publisher }.map { Data() }
    return [content.eraseToAnyPublisher(), end.eraseToAnyPublisher()].concatenated()
      .mapError(failure)
      .eraseToAnyPublisher()
  }

  private func open() throws -> OpenedRequestBody {
    try checkVersion()
    let opened = try RequestBody.file(url).open()
    guard opened.length == length else { throw Changed() }
    return opened
  }

  private func checkVersion() throws {
    // A file that no longer exists has changed, too.
    guard (try? Version(of: url)) == version else { throw Changed() }
  }

  private func failure(_ error: any Error) -> any Error {
    guard error is Changed || (error as? TransportError)?.kind == .sendFailed else {
      return Self.unreadable(url, part, request, error, attempts: 1)
    }
    return RESTError(
      .file,
      reason:
        "the file \(url.lastPathComponent) of the part \(part) changed before all of it was sent",
      remedy: "Send a copy that nobody writes to.", request: request)
  }

  private static func unreadable(
    _ file: URL, _ part: String, _ request: RequestSummary?, _ error: any Error, attempts: Int
  ) -> RESTError {
    RESTError(
      .file,
      reason: "the file \(file.lastPathComponent) of the part \(part) cannot be read: "
        + ((error as? TransportError)?.detail ?? error.localizedDescription),
      remedy: "Check that it is there, is a file, and is readable for this process.",
      request: request, attempts: attempts, underlyingError: error)
  }

  private struct Changed: Error {}

  /// The attributes that show whether a file was written to or replaced.
  private struct Version: Equatable {
    let length: Int64
    let number: Int?
    let modified: Date?

    init(of url: URL) throws {
      let attributes = try FileManager.default.attributesOfRegularFile(at: url)
      length = (attributes[.size] as? NSNumber)?.int64Value ?? 0
      number = (attributes[.systemFileNumber] as? NSNumber)?.intValue
      modified = attributes[.modificationDate] as? Date
    }
  }
}
