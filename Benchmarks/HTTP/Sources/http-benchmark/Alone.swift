import Foundation
import Measuring
import RESTKit
import Streams

/// The cases that run in their own process, because a process keeps the memory of its earlier work.
enum Alone {
  /// Runs a case in a new process and returns its facts.
  static func facts(of workCase: Case, at peer: Peer, isQuick: Bool) throws -> Facts {
    let program = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    let arguments = ["--alone", workCase.title, "--url", peer.url] + (isQuick ? ["--quick"] : [])
    return Facts(text: try Peer.output(of: program, arguments))
  }

  /// Runs a case in this process.
  static func run(_ workCase: Case, at peer: Peer, isQuick: Bool) async throws -> Facts {
    let api = PeerAPI(baseURL: peer.url, transport: try CurlTransport())
    _ = try await api.get(endpoint: "json").value
    return switch workCase {
    case .longRun: try await longRun(api, peer)
    case .burst: await burst(api)
    case .unheardLog: UnheardLog.facts(at: peer)
    case .download: try await LargeFile(api: api, peer: peer).download()
    case .upload: try await LargeFile(api: api, peer: peer).upload()
    case .slowSubscriber: try await SlowSubscriber(api: api, isQuick: isQuick).facts()
    default: throw Unsound("\(workCase.title) does not run alone")
    }
  }

  private static func longRun(_ api: PeerAPI, _ peer: Peer) async throws -> Facts {
    let contender = Contender(.verbs) { try await api.get(endpoint: "json").value.data.count }
    let half = Load(calls: 100_000, callers: 8, isTimed: false)
    _ = try await contender.run(half)
    let (memory, descriptors) = (Resources.residentBytes, Resources.descriptors)
    _ = try await contender.run(half)
    return Facts([
      .growth: Resources.residentBytes - memory, .descriptorsBefore: descriptors,
      .descriptorsAfter: Resources.descriptors,
    ])
  }

  private static func burst(_ api: PeerAPI) async -> Facts {
    let idle = Resources.residentBytes
    let connections = await withTaskGroup(of: String?.self) { group in
      for _ in 0..<10_000 {
        group.addTask {
          let response = try? await api.get(endpoint: "connection").value
          return response.flatMap { $0.statusCode == 200 ? $0.headers["X-Connection"] : nil }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }.compactMap(\.self)
    }
    return Facts([
      .answered: connections.count, .connections: Set(connections).count,
      .peak: Resources.peakBytes, .idle: idle,
    ])
  }
}
