import Foundation

/// What this process has and has used, as the system counts it.
enum ProcessState {
  /// The processor time of all threads in microseconds, including time in the system.
  static var processorTime: Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
  }

  /// The memory in use, in bytes.
  static var residentBytes: Int { number(of: "VmRSS:") << 10 }
  /// The maximum memory that was ever in use, in bytes.
  static var peakBytes: Int { number(of: "VmHWM:") << 10 }
  static var threads: Int { number(of: "Threads:") }

  static var descriptors: Int {
    // The listing itself takes one.
    ((try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd"))?.count ?? 1) - 1
  }

  /// The maximum number of descriptors, as `ulimit -n` sets it.
  static var descriptorLimit: Int {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    return Int(clamping: limit.rlim_cur)
  }

  private static func number(of name: String) -> Int {
    let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = status?.split(separator: "\n").first { $0.hasPrefix(name) }
    return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0
  }
}
