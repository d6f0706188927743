import Foundation
import RESTKitTesting

/// Many curl commands in one script of a shell, as a person would paste them.
package struct CurlScript {
  /// The shells of this machine.
  package static let shells = ["sh", "bash", "dash", "zsh"].compactMap { name in
    ["/bin/\(name)", "/usr/bin/\(name)"].first {
      FileManager.default.isExecutableFile(atPath: $0)
    }
  }

  /// Whether curl can be run.
  package static let hasCurl = FileManager.default.isExecutableFile(atPath: "/usr/bin/curl")

  package static let numberField = "X-Number-Of-Command"
  /// The fields that curl and the script add, in lower case.
  package static let addedFields: Set = [
    numberField.lowercased(), "host", "user-agent", "accept", "content-length", "expect",
  ]

  package struct Failure: Error, CustomStringConvertible {
    package let description: String
  }

  private let commands: [String]

  package init(_ commands: [String]) {
    self.commands = commands
  }

  /// Returns the words that a shell passes to curl for each command, and curl's standard input
  /// where it is told to read that.
  package func words(in shell: String) throws -> [Data] {
    try run(
      // A function in the place of curl: to start a program is what takes the time.
      """
      curl() {
        printf '%s\\0' "$@" > "$number"
        for word in "$@"; do [ "$word" = '@-' ] && cat >> "$number"; done
        return 0
      }
      """, in: shell
    ) { folder in
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      let expected = commands.indices.map(String.init)
      guard Set(names) == Set(expected) else {
        throw Failure(description: "\(shell) wrote \(Set(names).symmetricDifference(expected))")
      }
      return try expected.map { try Data(contentsOf: folder.appending(path: $0)) }
    }
  }

  /// Runs the commands with curl.
  ///
  /// Each request has the command's index in the field ``numberField``.
  package func send(in shell: String) throws {
    try run(
      """
      curl() {
        command curl -q --silent --output /dev/null --max-time 60 \
          --header "\(Self.numberField): $number" "$@" || echo "$number: $?" >> failures
      }
      """, in: shell
    ) { folder in
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      guard names.isEmpty else {
        let text = try? String(contentsOf: folder.appending(path: "failures"), encoding: .utf8)
        throw Failure(description: "\(shell) left \(names): \(text ?? "")")
      }
    }
  }

  private func run<Result>(
    _ curl: String, in shell: String, _ read: (URL) throws -> Result
  ) throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    let place = folder.appending(path: "place")
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let lines = commands.enumerated().map { "number=\($0)\n\($1)\n" }
    let file = folder.appending(path: "script")
    try Data("\(curl)\n\(lines.joined())".utf8).write(to: file)

    let process = Process()
    process.executableURL = URL(fileURLWithPath: shell)
    process.arguments = [file.path]
    process.currentDirectoryURL = place
    process.environment = ["PATH": "/usr/bin:/bin", "HOME": "/"]
    process.standardInput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return try read(place)
  }
}
