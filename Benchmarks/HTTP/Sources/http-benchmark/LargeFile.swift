import Foundation
import Measuring
import RESTKit
import Streams

/// Transfers of 1 GiB, in comparison with the program curl.
struct LargeFile {
  let api: PeerAPI
  let peer: Peer

  /// The folder of the files, in memory if possible, since the disk's speed is not measured.
  private let folder: URL = {
    let memory = URL(filePath: "/dev/shm")
    let isThere = FileManager.default.isWritableFile(atPath: memory.path)
    return (isThere ? memory : FileManager.default.temporaryDirectory)
      .appending(path: "restkit-benchmark-\(getpid())")
  }()

  init(api: PeerAPI, peer: Peer) {
    self.api = api
    self.peer = peer
  }

  func download() async throws -> Facts {
    try await measured(curl: ["-o", folder.appending(path: "curl").path, peer.url + "/big"]) {
      let file = folder.appending(path: "own")
      try? FileManager.default.removeItem(at: file)
      _ = try await api.download(endpoint: "big", to: file).last().value
    }
  }

  func upload() async throws -> Facts {
    let file = folder.appending(path: "source")
    return try await measured(curl: ["-T", file.path, peer.url + "/put/curl"]) {
      if !FileManager.default.fileExists(atPath: file.path) {
        _ = FileManager.default.createFile(atPath: file.path, contents: nil)
        try FileHandle(forWritingTo: file).truncate(atOffset: 1 << 30)
      }
      let last = try await api.upload(.put, endpoint: "put/own", body: .file(file)).last().value
      guard case .response(let response) = last, response.isSuccess else {
        throw Unsound("the server refuses an upload")
      }
    }
  }

  /// Returns the median times of seven rounds of each, in turn.
  private func measured(
    curl arguments: [String], _ own: () async throws -> Void
  ) async throws -> Facts {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let idle = Resources.peakBytes
    let clock = ContinuousClock()
    let program = URL(filePath: "/usr/bin/curl")
    let hasCurl = FileManager.default.isExecutableFile(atPath: program.path)
    // The first round of each creates the files.
    try await own()
    var times: [Duration] = []
    var peerTimes: [Duration] = []
    for _ in 0..<7 {
      times.append(try await clock.measure { try await own() })
      if hasCurl {
        peerTimes.append(
          try clock.measure {
            _ = try Peer.output(of: program, ["-s", "-S", "-f", "--noproxy", "*"] + arguments)
          })
      }
    }
    var facts = Facts([
      .peak: Resources.peakBytes, .idle: idle, .milliseconds: Self.milliseconds(times),
    ])
    if hasCurl { facts[.peerMilliseconds] = Self.milliseconds(peerTimes) }
    return facts
  }

  private static func milliseconds(_ times: [Duration]) -> Int {
    Int(times.sorted()[times.count / 2] / .milliseconds(1))
  }
}
