import Foundation

/// The resources that this process uses, as the system counts them.
enum Resources {
  /// The processor time of all threads, including time in the system.
  static var processorTime: Duration { processorTime(RUSAGE_SELF.rawValue) }

  /// The processor time of the child processes that have ended.
  static var childrensProcessorTime: Duration { processorTime(RUSAGE_CHILDREN.rawValue) }

  private static func processorTime(_ whose: Int32) -> Duration {
    var usage = rusage()
    getrusage(whose, &usage)
    return [usage.ru_utime, usage.ru_stime].reduce(.zero) {
      $0 + .seconds(Int64($1.tv_sec)) + .microseconds(Int64($1.tv_usec))
    }
  }

  /// The number of times that threads waited or were interrupted (`getrusage`).
  static var switches: Int {
    var usage = rusage()
    getrusage(RUSAGE_SELF.rawValue, &usage)
    return Int(usage.ru_nvcsw + usage.ru_nivcsw)
  }

  /// The memory in use, in bytes.
  static var residentBytes: Int { kilobytes(of: "VmRSS:") << 10 }

  /// The maximum memory that was ever in use, in bytes.
  static var peakBytes: Int { kilobytes(of: "VmHWM:") << 10 }

  /// The number of open descriptors.
  static var descriptors: Int {
    // The listing itself takes one.
    ((try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd"))?.count ?? 1) - 1
  }

  private static func kilobytes(of name: String) -> Int {
    let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = status?.split(separator: "\n").first { $0.hasPrefix(name) }
    return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0
  }
}
