#if os(Linux)
  import Foundation
  import Testing

  @testable import HTTPTransport

  @Suite("The loops that an executor's tasks go to")
  struct CurlTaskExecutorTests {
    @Test("A task goes to the loop with the fewest, and to the first of those with as few")
    func fewest() async throws {
      let queues = try makeQueues()
      let executor = CurlTaskExecutor(queues)
      let tasks = (0..<4).map { number in Task(executorPreference: executor) { number } }
      #expect(jobs(of: queues) == [2, 2])
      let later = Task(executorPreference: executor) { 4 }
      #expect(runAll(of: queues[1]) == 2)
      // Jobs that have run count no more.
      let last = Task(executorPreference: executor) { 5 }
      #expect(queues.map { runAll(of: $0) } == [3, 1])
      for (number, task) in (tasks + [later, last]).enumerated() {
        #expect(await task.value == number)
      }
    }

    @Test("A task that becomes ready on a loop's thread stays there, however many it has")
    func home() async throws {
      let queues = try makeQueues()
      let executor = CurlTaskExecutor(queues)
      let begun = await withCheckedContinuation { continuation in
        Thread.detachNewThread {
          queues[1].enter()
          let tasks = (0..<3).map { number in Task(executorPreference: executor) { number } }
          continuation.resume(returning: tasks)
        }
      }
      #expect(jobs(of: queues) == [0, 3])
      #expect(queues.map { runAll(of: $0) } == [0, 3])
      for (number, task) in begun.enumerated() { #expect(await task.value == number) }
    }

    @Test("A job of a closed queue is handed over")
    func closed() async throws {
      let queues = try makeQueues()
      let executor = CurlTaskExecutor(queues)
      for queue in queues { queue.close {} }
      #expect(await Task(executorPreference: executor) { 7 }.value == 7)
      #expect(jobs(of: queues) == [0, 0])
    }

    @Test("A delivery queue hands over its jobs, and keeps the rest in order")
    func handOver() async throws {
      let queue = try #require(try makeQueues().first)
      let executor = CurlTaskExecutor([queue])
      let tasks = (0..<2).map { number in Task(executorPreference: executor) { number } }
      let deliveries = CurlDeliveryQueue()
      var told: [String] = []
      deliveries.letGo("first")
      for job in take(from: queue) { deliveries.run(job) }
      deliveries.letGo("second")
      deliveries.handOverJobs()
      for (number, task) in tasks.enumerated() { #expect(await task.value == number) }
      while let delivery = deliveries.next() {
        if case .letGo(let text as String) = delivery { told.append(text) }
      }
      #expect(told == ["first", "second"])
    }

    private func makeQueues() throws -> [CurlCommandQueue] {
      try (0..<2).map { _ in try CurlCommandQueue.make(CurlLibrary.load()) }
    }

    private func jobs(of queues: [CurlCommandQueue]) -> [Int] {
      queues.map { queue in
        let jobs = take(from: queue)
        for job in jobs { queue.post(.run(job)) }
        return jobs.count
      }
    }

    private func take(from queue: CurlCommandQueue) -> [CurlTaskJob] {
      var commands: [CurlCommandQueue.Command] = []
      _ = queue.take(into: &commands)
      return commands.compactMap { if case .run(let job) = $0 { job } else { nil } }
    }

    /// Runs the jobs of a queue, and returns their number.
    private func runAll(of queue: CurlCommandQueue) -> Int {
      let jobs = take(from: queue)
      for job in jobs { job.run() }
      return jobs.count
    }
  }
#endif
