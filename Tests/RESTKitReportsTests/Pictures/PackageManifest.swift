import Foundation

/// Package.swift, as the package manager reads it.
struct PackageManifest: Decodable {
  struct Product: Decodable {
    let name: String
    let targets: [String]
    private let type: [String: [String]?]

    var isLibrary: Bool { type.keys.contains("library") }
  }

  struct Target: Decodable {
    let name: String
    let dependencies: [Dependency]
  }

  /// What a target depends on, and where alone it does: `{"target": ["CCurl", {"platformNames":
  /// …}]}`.
  struct Dependency: Decodable {
    private struct Condition: Decodable {
      let platformNames: [String]?
    }

    let name: String
    let platforms: [String]

    private enum Key: String, CodingKey, CaseIterable {
      case byName, target, product
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Key.self)
      guard let key = Key.allCases.first(where: container.contains) else {
        throw DecodingError.dataCorrupted(
          .init(codingPath: decoder.codingPath, debugDescription: "unknown kind of dependency"))
      }
      var parts = try container.nestedUnkeyedContainer(forKey: key)
      name = try parts.decode(String.self)
      platforms = try parts.decodeIfPresent(Condition.self)?.platformNames ?? []
    }
  }

  let products: [Product]
  let targets: [Target]

  /// Has the package manager read the package of a folder.
  ///
  /// It works in a folder of its own: the package's is locked while its tests run.
  static func read(at folder: URL) throws -> PackageManifest {
    let scratch = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: scratch) }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "swift", "package", "--package-path", folder.path, "--scratch-path", scratch.path,
      "dump-package",
    ]
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return try JSONDecoder().decode(PackageManifest.self, from: data)
  }
}
