import Foundation

/// Runs text as a person would who pastes it.
enum Shell {
  /// The shells of this machine.
  static let installed = ["/bin/sh", "/bin/bash", "/bin/dash", "/bin/zsh"].filter {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  /// The arguments that `curl` gets from a script, run by a real shell, and its standard input
  /// where it is told to read that.
  static func curlArguments(
    _ script: String, in shell: String = "/bin/sh"
  ) throws -> (arguments: [String], input: Data) {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    // In the place of curl, and as a function: to start a program is what takes the time.
    let probe = """
      curl() {
        printf '%s\\0' "$@" > arguments
        for argument in "$@"; do [ "$argument" = '@-' ] && cat > input; done
        return 0
      }

      """

    // In a file, because an argument has a limit.
    let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try Data((probe + script).utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }

    let process = Process()
    process.executableURL = URL(fileURLWithPath: shell)
    process.arguments = [file.path]
    process.currentDirectoryURL = folder
    process.environment = ["PATH": "/usr/bin:/bin"]
    process.standardInput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()

    // Nothing but curl ran: it alone leaves files.
    let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    guard Set(left).isSubset(of: ["arguments", "input"]) else {
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
