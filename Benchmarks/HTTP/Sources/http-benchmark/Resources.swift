import Foundation

/// What this process uses, as the system counts it.
enum Resources {
  /// The time of all its threads, in the system too.
  static var processorTime: Duration { processorTime(RUSAGE_SELF.rawValue) }

  /// That of the processes that it started and that have ended.
  static var childrensProcessorTime: Duration { processorTime(RUSAGE_CHILDREN.rawValue) }

  private static func processorTime(_ whose: Int32) -> Duration {
    var usage = rusage()
    getrusage(whose, &usage)
    return [usage.ru_utime, usage.ru_stime].reduce(.zero) {
      $0 + .seconds(Int64($1.tv_sec)) + .microseconds(Int64($1.tv_usec))
    }
  }

  /// Memory that is in use, in bytes.
  static var residentBytes: Int { kilobytes(of: "VmRSS:") << 10 }

  /// The most that ever was, in bytes.
  static var peakBytes: Int { kilobytes(of: "VmHWM:") << 10 }

  /// How many descriptors are open.
  static var descriptors: Int {
    // To list them takes one.
    ((try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd"))?.count ?? 1) - 1
  }

  private static func kilobytes(of name: String) -> Int {
    let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = status?.split(separator: "\n").first { $0.hasPrefix(name) }
    return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0
  }
}
