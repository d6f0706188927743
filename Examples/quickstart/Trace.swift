import Foundation
import RESTKit
import RESTKitReports
import Streams

/// Keeps the log of each call, for a picture of them.
struct Trace {
  private let file: String
  private let logs = CurrentValueSubject<[CallLog], Never>([])
  private let subscription: AnyCancellable

  /// - Parameter file: Where the picture will be; nil for none, and then no log is kept.
  init?(of transport: ObservedTransport, to file: String?) {
    guard let file else { return nil }
    self.file = file
    subscription = transport.callLogs.scan([]) { $0 + [$1] }.subscribe(logs)
  }

  /// Writes the picture: a page, or where the file's name says so an SVG.
  func write() throws {
    let picture = CallPicture(logs.value)
    let text = file.hasSuffix(".svg") ? picture.svg : picture.html
    try Data(text.utf8).write(to: URL(fileURLWithPath: file))
  }
}
