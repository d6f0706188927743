import Foundation
import Measuring

/// How the processors have spent their time up to a moment.
struct ProcessorTimes {
  /// Of all processors, idle or not.
  private let all: Duration
  /// That of all of them which was not idle; also what other machines took on the same processors.
  private let busy: Duration
  /// What this benchmark took: its processes, and the server's.
  private let own: Duration

  /// - Parameter server: The server's process.
  static func now(server: Int) throws(Unsound) -> ProcessorTimes {
    // user, nice, system, idle, iowait, irq, softirq, steal; guests' time is in the first two (proc(5)).
    let line = (try? String(contentsOfFile: "/proc/stat", encoding: .utf8))?.prefix { $0 != "\n" }
    let ticks = line?.split(separator: " ").dropFirst().prefix(8).compactMap { Int($0) } ?? []
    guard ticks.count == 8 else { throw Unsound("/proc/stat cannot be read") }
    let all = ticks.reduce(0, +)
    return ProcessorTimes(
      all: time(ticks: all), busy: time(ticks: all - ticks[3] - ticks[4]),
      own: Resources.processorTime + Resources.childrensProcessorTime + (try time(of: server)))
  }

  /// The part of all processors' time that others have taken since then, from 0 to 1.
  func others(since begin: ProcessorTimes) -> Double {
    let others = (busy - begin.busy) - (own - begin.own)
    return all > begin.all ? max(0, others / (all - begin.all)) : 0
  }

  private static func time(of process: Int) throws(Unsound) -> Duration {
    // The name, in parentheses, may have blanks; behind it the 12th and 13th are user's and system's.
    let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
    let fields = text?.split(separator: ")").last?.split(separator: " ") ?? []
    guard fields.count > 12, let user = Int(fields[11]), let system = Int(fields[12]) else {
      throw Unsound("the server's process \(process) is not there")
    }
    return time(ticks: user + system)
  }

  private static func time(ticks: Int) -> Duration {
    .seconds(Double(ticks) / Double(sysconf(Int32(_SC_CLK_TCK))))
  }
}

/// How busy a machine was with what is none of the benchmark's.
struct Business {
  /// The part of all processors' time that others took, from 0 to 1.
  let others: Double

  /// Up to this part, a machine is called quiet.
  static let quiet = 0.05

  var isQuiet: Bool { others <= Self.quiet }

  /// A sentence for below the tables.
  var text: String {
    var loads = [Double](repeating: 0, count: 3)
    let isKnown = getloadavg(&loads, 3) == 3
    let load = isKnown ? loads.map(\.hundredths).joined(separator: ", ") : "unknown"
    return "While this ran, others took \((others * 100).significant) % of the time of "
      + "\(ProcessInfo.processInfo.activeProcessorCount) processors; at its end the load average was"
      + " \(load) (1, 5 and 15 minutes)."
  }
}
