import Foundation

extension FileManager {
  /// The attributes of a file that can be read from its start to its end.
  ///
  /// - Throws: Where a URL is no file's, whose path would be taken for a local one; and for a folder, which
  ///   opens as the longest of all files, or a pipe, which opens when somebody writes to it.
  func attributesOfRegularFile(at url: URL) throws -> [FileAttributeKey: Any] {
    guard url.isFileURL else { throw CocoaError(.fileReadUnsupportedScheme) }
    let path = url.resolvingSymlinksInPath().path
    let attributes = try attributesOfItem(atPath: path)
    switch attributes[.type] as? FileAttributeType {
    case .typeRegular: break
    case .typeDirectory: throw POSIXError(.EISDIR)
    default: throw POSIXError(.ESPIPE)
    }
    guard isReadableFile(atPath: path) else { throw CocoaError(.fileReadNoPermission) }
    return attributes
  }
}
