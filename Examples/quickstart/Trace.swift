import Foundation
import RESTKit
import RESTKitReports
import Streams

/// A recorder of each call's log, for a picture of the calls.
struct Trace {
  private let file: String
  private let logs = CurrentValueSubject<[CallLog], Never>([])
  private let subscription: AnyCancellable

  /// - Parameter file: The path of the picture, or nil to record no log.
  init?(of transport: ObservedTransport, to file: String?) {
    guard let file else { return nil }
    self.file = file
    subscription = transport.callLogs.scan([]) { $0 + [$1] }.subscribe(logs)
  }

  /// Writes the picture as a page, or as an SVG if the file's name ends with `.svg`.
  func write() throws {
    let picture = CallPicture(logs.value)
    let text = file.hasSuffix(".svg") ? picture.svg : picture.html
    try Data(text.utf8).write(to: URL(fileURLWithPath: file))
  }
}
