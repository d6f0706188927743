import Foundation

/// The folder of this package, whose sources and guides some tests read.
package enum PackageFolder {
  package static let url = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
}
