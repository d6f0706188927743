import Foundation
import Measuring

/// The processor times up to one point in time.
struct ProcessorTimes {
  /// The time of all processors, idle or not.
  private let all: Duration
  /// The time in which processors were not idle, including the time that other virtual machines
  /// took.
  private let busy: Duration
  /// The time that this benchmark took: that of its processes and of the server.
  private let own: Duration

  /// - Parameter server: The server's process.
  static func now(server: Int) throws(Unsound) -> ProcessorTimes {
    // user, nice, system, idle, iowait, irq, softirq, steal. Guests' time is in the first two
    // (proc(5)).
    let line = (try? String(contentsOfFile: "/proc/stat", encoding: .utf8))?.prefix { $0 != "\n" }
    let ticks = line?.split(separator: " ").dropFirst().prefix(8).compactMap { Int($0) } ?? []
    guard ticks.count == 8 else { throw Unsound("/proc/stat cannot be read") }
    let all = ticks.reduce(0, +)
    return ProcessorTimes(
      all: time(ticks: all), busy: time(ticks: all - ticks[3] - ticks[4]),
      own: Resources.processorTime + Resources.childrensProcessorTime + (try time(of: server)))
  }

  /// Returns the fraction of all processors' time that others have taken since then, from 0 to 1.
  func others(since begin: ProcessorTimes) -> Double {
    let others = (busy - begin.busy) - (own - begin.own)
    return all > begin.all ? max(0, others / (all - begin.all)) : 0
  }

  private static func time(of process: Int) throws(Unsound) -> Duration {
    // The name, in parentheses, may contain blanks. After it, the 12th and 13th fields are user and
    // system.
    let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
    let fields = text?.split(separator: ")").last?.split(separator: " ") ?? []
    guard fields.count > 12, let user = Int(fields[11]), let system = Int(fields[12]) else {
      throw Unsound("the server's process \(process) does not exist")
    }
    return time(ticks: user + system)
  }

  private static func time(ticks: Int) -> Duration {
    .seconds(Double(ticks) / Double(sysconf(Int32(_SC_CLK_TCK))))
  }
}

/// The load of a machine by other processes than those of the benchmark.
struct Business {
  /// The fraction of all processors' time that others took, from 0 to 1.
  let others: Double

  /// The maximum fraction for a quiet machine.
  static let quiet = 0.05

  var isQuiet: Bool { others <= Self.quiet }

  /// A sentence that is printed below the tables.
  var text: String {
    var loads = [Double](repeating: 0, count: 3)
    let isKnown = getloadavg(&loads, 3) == 3
    let load = isKnown ? loads.map(\.hundredths).joined(separator: ", ") : "unknown"
    return "While this ran, others took \((others * 100).significant) % of the time of "
      + "\(ProcessInfo.processInfo.activeProcessorCount) processors; at its end the load average was"
      + " \(load) (1, 5 and 15 minutes)."
  }
}
