import Foundation

/// Runs text as a person would who pastes it.
enum Shell {
  /// The arguments that `curl` gets from a script, run by a real `sh`, and its standard input where it
  /// is told to read that.
  static func curlArguments(_ script: String) throws -> (arguments: [String], input: Data) {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let probe = """
      #!/bin/sh
      printf '%s\\0' "$@" > "$OUT/arguments"
      for argument in "$@"; do [ "$argument" = '@-' ] && cat > "$OUT/input"; done
      exit 0
      """
    let curl = folder.appending(path: "curl")
    try Data(probe.utf8).write(to: curl)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: curl.path)

    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", script]
    process.currentDirectoryURL = folder
    process.environment = ["PATH": "\(folder.path):/usr/bin:/bin", "OUT": folder.path]
    process.standardInput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()

    // Nothing but curl ran: it alone leaves files.
    let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    guard Set(left).isSubset(of: ["curl", "arguments", "input"]) else {
      throw Surprise(files: left)
    }
    let arguments = try Data(contentsOf: folder.appending(path: "arguments"))
    let input = try? Data(contentsOf: folder.appending(path: "input"))
    return (
      arguments.split(separator: 0, omittingEmptySubsequences: false).dropLast()
        .map { String(decoding: $0, as: UTF8.self) },
      input ?? Data()
    )
  }

  struct Surprise: Error {
    let files: [String]
  }
}
