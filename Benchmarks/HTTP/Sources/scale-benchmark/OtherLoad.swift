import Foundation
import Measuring

/// The part of all processors' time that other programs take while this one runs.
///
/// It counts ticks of the system: those in which a processor was busy, less those of this
/// program, of its processes and of the server.
struct OtherLoad {
  private let server: Int
  private let all: Int
  private let busy: Int
  private let own: Int

  /// The largest part for a quiet machine.
  private static let quiet = 0.05

  /// - Parameter server: The server's process.
  init(server: Int) throws(Unsound) {
    self.server = server
    // user, nice, system, idle, iowait, irq, softirq, steal (proc(5)).
    let line = (try? String(contentsOfFile: "/proc/stat", encoding: .utf8))?.prefix { $0 != "\n" }
    let ticks = line?.split(separator: " ").dropFirst().prefix(8).compactMap { Int($0) } ?? []
    guard ticks.count == 8 else { throw Unsound("/proc/stat cannot be read") }
    all = ticks.reduce(0, +)
    busy = all - ticks[3] - ticks[4]
    // After the name: utime and stime are the 12th and 13th field, those of children follow.
    own = try Self.fields(of: "self", 11..<15) + Self.fields(of: String(server), 11..<13)
  }

  /// Returns a sentence about the time from then to now.
  func sentence() throws(Unsound) -> String {
    let now = try OtherLoad(server: server)
    let others = max(
      0, Double((now.busy - busy) - (now.own - own)) / Double(max(1, now.all - all)))
    return "While this ran, others took \((others * 100).significant) % of the time of "
      + "\(ProcessInfo.processInfo.activeProcessorCount) processors, so the machine was "
      + (others <= Self.quiet ? "quiet." : "not quiet: only the form of the lines holds.")
  }

  private static func fields(of process: String, _ range: Range<Int>) throws(Unsound) -> Int {
    let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
    let fields = text?.split(separator: ")").last?.split(separator: " ") ?? []
    let numbers = fields.count >= range.upperBound ? fields[range].compactMap { Int($0) } : []
    guard numbers.count == range.count else {
      throw Unsound("the process \(process) does not exist")
    }
    return numbers.reduce(0, +)
  }
}
