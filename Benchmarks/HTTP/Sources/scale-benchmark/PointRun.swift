import Foundation
import FoundationNetworking
import Measuring
import RESTKit
import Streams
import Synchronization

/// The calls of one point, in a process of their own: a process keeps the memory of earlier work.
struct PointRun {
  let point: Point
  /// The base URL of the server, which answers at all addresses of loopback.
  let server: URL
  /// The time for which the calls are measured.
  let length: Duration

  /// The time after which the process is ended.
  static let limit: UInt32 = 15

  func outcome() async throws -> Outcome {
    alarm(Self.limit)
    if let lack = Self.lack(
      of: point, open: ProcessState.descriptors, limit: ProcessState.descriptorLimit)
    {
      return .impossible(lack)
    }
    do {
      return .measured(try await figures())
    } catch let error as WrongBody {
      return .wrong(error.reason)
    } catch let error as Unsound {
      throw error
    } catch {
      return .impossible(Self.reason(of: "\(error)", open: ProcessState.descriptors))
    }
  }

  /// Returns why a point cannot run with this limit of descriptors, or nil.
  ///
  /// Each caller needs a connection, of which a host has six at most.
  static func lack(of point: Point, open: Int, limit: Int) -> String? {
    let needed = open + min(point.callers, 6 * point.hosts) + 8
    guard needed > limit else { return nil }
    return "needs \(needed.grouped) descriptors, may open \(limit.grouped) (`ulimit -n`)"
  }

  /// Returns the number of parts whose times are taken.
  ///
  /// The responses to all callers may come together, so a part needs a few for each of them.
  static func slices(of count: Int, callers: Int) -> Int {
    min(max(1, count / (4 * callers)), 8)
  }

  private static func reason(of error: String, open: Int) -> String {
    let limit = ProcessState.descriptorLimit
    let isFull = open + 4 >= limit
    let line = error.replacing("\n", with: " ").replacing("|", with: "/")
    return isFull ? "\(line); \(open) of \(limit) descriptors are open (`ulimit -n`)" : line
  }

  private func figures() async throws -> Figures {
    let transport = try CurlTransport()
    let body = Body(bytes: point.bytes)
    let calls = Calls(
      transport: transport, requests: try requests(), callers: point.callers)
    _ = try await calls.run(1, slices: 1, isRight: body.isEqual)
    let idle = ProcessState.residentBytes
    // These open the connections.
    let trial = max(32, 2 * point.callers, 2 * point.hosts)
    let begin = ContinuousClock.now
    _ = try await calls.run(trial, slices: 1, isRight: body.isEqual)
    let filling = Double(trial) * (length / (ContinuousClock.now - begin))
    let count = max(Int(filling), 2 * point.callers)
    let slices = Self.slices(of: count, callers: point.callers)
    let marks = try await calls.run(
      count / slices * slices, slices: slices, isRight: body.isLike)
    let each = Double(count / slices)
    let spans = zip(marks, marks.dropFirst())
    return Figures(
      times: spans.map { ($1.instant - $0.instant) / .microseconds(1) / each },
      processorTimes: spans.map { ($1.processorTime - $0.processorTime) / each },
      growth: max(0, ProcessState.peakBytes - idle), threads: ProcessState.threads,
      descriptors: ProcessState.descriptors)
  }

  /// The requests, one for each host: 127.0.0.1 and those after it.
  private func requests() throws(Unsound) -> [URLRequest] {
    var requests: [URLRequest] = []
    for number in 1...point.hosts {
      var components = URLComponents(url: server, resolvingAgainstBaseURL: false)
      components?.host = "127.0.\(number >> 8).\(number & 255)"
      components?.path = "/bytes/\(point.bytes)"
      guard let url = components?.url else { throw Unsound("\(server) is no URL") }
      requests.append(URLRequest(url: url))
    }
    return requests
  }
}

/// Calls of a pipeline, a number of them at a time.
struct Calls {
  let transport: CurlTransport
  let requests: [URLRequest]
  let callers: Int

  /// The times up to one response.
  struct Mark {
    let instant = ContinuousClock.now
    let processorTime = ProcessState.processorTime
  }

  /// Makes calls and returns the times at their begin and at the end of each slice of them.
  ///
  /// - Parameter isRight: A closure that compares a body.
  /// - Throws: ``WrongBody``, or an error of the transport.
  func run(
    _ count: Int, slices: Int, isRight: @escaping @Sendable (Data) -> Bool
  ) async throws -> [Mark] {
    let progress = Progress(slice: count / slices)
    let subscription = Mutex<AnyCancellable?>(nil)
    try await withCheckedThrowingContinuation { (ended: CheckedContinuation<Void, any Error>) in
      let sink = (0..<count).publisher
        .setFailureType(to: (any Error).self)
        .flatMap(maxPublishers: .max(callers)) { [transport, requests] in
          transport.response(for: requests[$0 % requests.count])
        }
        .tryMap { response in
          guard response.statusCode == 200, isRight(response.data) else {
            throw WrongBody(response)
          }
        }
        .sink(
          receiveCompletion: {
            switch $0 {
            case .finished: ended.resume()
            case .failure(let error): ended.resume(throwing: error)
            }
          }, receiveValue: { progress.note() })
      subscription.withLock { $0 = sink }
    }
    // Until here the subscription must live.
    subscription.withLock { $0 = nil }
    return progress.marks
  }
}

/// The responses so far.
private final class Progress: Sendable {
  private let slice: Int
  private let state = Mutex((count: 0, marks: [Calls.Mark()]))

  init(slice: Int) {
    self.slice = slice
  }

  var marks: [Calls.Mark] { state.withLock { $0.marks } }

  func note() {
    state.withLock { state in
      state.count += 1
      if state.count % slice == 0 { state.marks.append(Calls.Mark()) }
    }
  }
}

/// A response that is not the one that the server has.
struct WrongBody: Error {
  let reason: String

  init(_ response: RESTResponse) {
    reason =
      "a response has the status \(response.statusCode) and \(response.data.count) bytes"
      + (response.statusCode == 200 ? ", which are wrong" : "")
  }
}
