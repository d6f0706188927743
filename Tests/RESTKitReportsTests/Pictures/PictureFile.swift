import Fixtures
import Foundation

/// A file in Docs/Pictures that a test makes.
struct PictureFile {
  private let file: URL

  init(_ name: String) {
    file = PackageFolder.url.appending(path: "Docs/Pictures/\(name)")
  }

  /// Whether it holds a text; a renewed one does from now on.
  ///
  /// `RENEW_PICTURES=1 swift test --filter PictureTests` renews them.
  func holds(
    _ text: String,
    isRenewing: Bool = ProcessInfo.processInfo.environment["RENEW_PICTURES"] != nil
  ) throws -> Bool {
    if isRenewing { try Data(text.utf8).write(to: file) }
    return (try? String(contentsOf: file, encoding: .utf8)) == text
  }
}
