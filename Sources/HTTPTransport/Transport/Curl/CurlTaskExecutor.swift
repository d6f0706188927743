#if os(Linux)
  import Synchronization

  /// An executor that runs tasks on the threads of loops, among the deliveries to subscribers.
  ///
  /// A task's job is a command to a loop. The leader runs it as it runs a delivery, so a job that
  /// blocks loses the lead to another thread.
  ///
  /// It has the loops' queues only. A task thus does not keep an engine running, and a job that
  /// comes after the engine's end finds a closed queue.
  final class CurlTaskExecutor: TaskExecutor {
    /// One of the loops.
    final class Loop: Sendable {
      fileprivate let number: Int
      fileprivate let commandQueue: CurlCommandQueue
      /// The number of jobs that wait or run there.
      fileprivate let jobs = Atomic(0)

      fileprivate init(number: Int, _ commandQueue: CurlCommandQueue) {
        self.number = number
        self.commandQueue = commandQueue
      }
    }

    private let loops: [Loop]
    private let begin: @Sendable (Int) -> Void

    /// - Parameters:
    ///   - commandQueues: The queues of the loops, at least one.
    ///   - begin: A closure that lets a loop begin, unless it has begun.
    init(_ commandQueues: [CurlCommandQueue], begin: @escaping @Sendable (Int) -> Void = { _ in }) {
      loops = commandQueues.enumerated().map { Loop(number: $0, $1) }
      self.begin = begin
    }

    func enqueue(_ job: consuming ExecutorJob) {
      let loop = nextLoop
      loop?.jobs.add(1, ordering: .relaxed)
      if let loop { begin(loop.number) }
      let job = CurlTaskJob(job: UnownedJob(job), executor: self, loop: loop)
      if loop?.commandQueue.run(job) != true { job.handOver() }
    }

    /// The loop of this thread, or else the first of those with the fewest jobs.
    ///
    /// The first one, so that a program with one task at a time keeps one thread busy.
    private var nextLoop: Loop? {
      loops.first { $0.commandQueue.isOfThisThread }
        ?? loops.min { $0.jobs.load(ordering: .relaxed) < $1.jobs.load(ordering: .relaxed) }
    }
  }

  /// The next part of a task, up to where it waits again.
  ///
  /// It is run or handed over once.
  struct CurlTaskJob: Sendable {
    fileprivate let job: UnownedJob
    /// The executor, which lives as long as the job.
    fileprivate let executor: CurlTaskExecutor
    fileprivate let loop: CurlTaskExecutor.Loop?

    /// Runs it on the calling thread.
    func run() {
      job.runSynchronously(on: executor.asUnownedTaskExecutor())
      leave()
    }

    /// Has it run on the threads of Swift, since those of the loop end.
    func handOver() {
      leave()
      globalConcurrentExecutor.enqueue(job)
    }

    private func leave() { loop?.jobs.subtract(1, ordering: .relaxed) }
  }
#endif
