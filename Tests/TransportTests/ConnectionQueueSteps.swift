#if os(Linux)
  @testable import HTTPTransport

  // The queue's steps where a test has one loop.
  extension CurlConnectionQueue {
    /// Returns the place of a call that begins, or nil if it waits.
    func begin(_ job: CurlJob, near loop: Int? = nil) -> Line? {
      if case .begins(let line) = enter(job, near: loop) { line } else { nil }
    }

    func nextJob(_ line: Line) -> CurlJob? { next(line)?.job }

    /// Whether a call of the line would wait for another one's connection.
    func awaits(_ line: Line) -> Bool {
      reasonOfWait(for: line.origin).contains("another call's connection")
    }
  }
#endif
