import Foundation

extension FileManager {
  /// Returns the attributes of a file that can be read from its start to its end.
  ///
  /// - Throws: An error for a URL that is not a file URL, because its path would be taken for a local
  ///   one. An error for a folder, which opens as the longest of all files, or for a pipe, which opens
  ///   only when it has a writer.
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
