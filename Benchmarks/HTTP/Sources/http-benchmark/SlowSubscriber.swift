import Dispatch
import Foundation
import Measuring
import RESTKit
import Streams

/// A measurement of small calls while a subscriber of the same transport repeatedly decodes 10 MB.
struct SlowSubscriber {
  /// The work beside the small calls.
  enum Company: CaseIterable {
    case none
    /// The responses are decoded on a queue, which shows the effect of the machine's load alone.
    case queue
    /// The responses are decoded where the transport delivers them.
    case transport

    /// The names of the 50th, the 99th and the 99.9th percentile, which are in nanoseconds.
    var names: [(part: Double, name: Facts.Name)] {
      switch self {
      case .none: [(0.5, .quiet50), (0.99, .quiet99), (0.999, .quiet999)]
      case .queue: [(0.5, .queue50), (0.99, .queue99), (0.999, .queue999)]
      case .transport: [(0.5, .beside50), (0.99, .beside99), (0.999, .beside999)]
      }
    }
  }

  private struct Item: Decodable, Sendable {
    let id: Int
    let name: String
    let price: Double
    let size: Int
    let tags: [String]
    let isSold: Bool
  }

  private static let items = 100_000

  let api: PeerAPI
  let isQuick: Bool
  private let queue = DispatchQueue(label: "decoder")

  init(api: PeerAPI, isQuick: Bool) {
    self.api = api
    self.isQuick = isQuick
  }

  /// Returns the facts of all kinds of company, which run in turn so that a busy machine affects
  /// all of them.
  func facts() async throws -> Facts {
    var times: [Company: [Duration]] = [:]
    for _ in 0..<(isQuick ? 1 : 5) {
      for company in Company.allCases {
        times[company, default: []] += try await round(company)
      }
    }
    var facts = Facts()
    for company in Company.allCases {
      let percentiles = Percentiles(times[company] ?? [])
      for (part, name) in company.names {
        facts[name] = Int(percentiles[part] / .nanoseconds(1))
      }
    }
    return facts
  }

  private func round(_ company: Company) async throws -> [Duration] {
    let end = ContinuousClock.now + .seconds(2)
    async let decoded = decodings(company, until: end)
    let times = try await smallCalls(until: end)
    let count = try await decoded
    guard count > 1 || company == .none else { throw Unsound("10 MB were decoded \(count) times") }
    return times
  }

  private func smallCalls(until end: ContinuousClock.Instant) async throws -> [Duration] {
    var times: [Duration] = []
    times.reserveCapacity(100_000)
    var begin = ContinuousClock.now
    while begin < end {
      let response = try await api.get(endpoint: "json").value
      guard response.statusCode == 200 else { throw Unsound("\(response)") }
      let now = ContinuousClock.now
      times.append(now - begin)
      begin = now
    }
    return times
  }

  /// Returns the number of times that the large response was received and decoded.
  private func decodings(
    _ company: Company, until end: ContinuousClock.Instant
  ) async throws -> Int {
    var count = 0
    while company != .none, ContinuousClock.now < end {
      let list = api.get(endpoint: "list")
      let decoded =
        if company == .queue {
          try await list.receive(on: queue).map(Self.decoded).value
        } else {
          try await list.map(Self.decoded).value
        }
      guard decoded.count == Self.items, decoded.isOnTransport == (company == .transport) else {
        throw Unsound("\(decoded.count ?? 0) items were decoded, or on another thread")
      }
      count += 1
    }
    return count
  }

  /// Returns the number of items of a response, and whether the transport waits for the decoding.
  @Sendable private static func decoded(
    _ response: RESTResponse
  ) -> (count: Int?, isOnTransport: Bool) {
    let items = try? JSONDecoder().decode([Item].self, from: response.data)
    let thread = try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
    return (items?.count, thread == "RESTKit.curl\n")
  }
}
