import Fixtures
import Foundation
import RESTKit
import Streams
import StreamsTesting

/// The lines of work of all processes in one folder.
///
/// The work runs on the thread of the world, at moments that are drawn. Between its steps the world
/// goes on, as during a slow disk.
final class SharingLines: Sendable {
  fileprivate let isBusy = Lock(false)

  /// Runs work, unless a process is at work: others wait for the folder's lock then.
  fileprivate func run(_ body: () -> Void) {
    guard isBusy.withLock({ !exchange(&$0, with: true) }) else { return }
    defer { isBusy.withLock { $0 = false } }
    body()
  }
}

/// The line of one process's work in the folder.
final class SharingLine: Sendable {
  private struct Work {
    let run: @Sendable () -> Void
  }

  private struct State: Sendable {
    var draw: Draw
    var works: [Work] = []
    var isDead = false
    /// The number of steps until the process is killed.
    var left: Int?
  }

  private let lines: SharingLines
  private let scheduler: TestScheduler
  private let state: Lock<State>
  private let hooks = Lock(Hooks())

  /// What the world does.
  struct Hooks: Sendable {
    /// Runs when all work is done.
    var onIdle: @Sendable () -> Void = {}
    /// Runs between two steps, if that is drawn.
    var interleave: @Sendable () -> Void = {}
    /// Runs when the process is killed in a step.
    var onKill: @Sendable () -> Void = {}
  }

  init(_ name: String, of plan: SharingPlan, in lines: SharingLines, scheduler: TestScheduler) {
    self.lines = lines
    self.scheduler = scheduler
    state = Lock(State(draw: Draw(plan.seed, "line of \(name)")))
  }

  func set(_ hooks: Hooks) { self.hooks.withLock { $0 = hooks } }

  var isIdle: Bool { state.withLock { $0.works.isEmpty } }

  /// The line as the cache sees it.
  var ofCache: CacheLine {
    CacheLine(
      enqueue: { [weak self] in self?.add($0) }, awaitAll: { [weak self] in self?.awaitAll() },
      willReach: { [weak self] () throws(POSIXError) in try self?.reach() })
  }

  /// Kills the process so many steps later, or at once.
  func kill(after steps: Int) {
    guard steps > 0 else { return die() }
    state.withLock { $0.left = steps }
  }

  private func die() {
    let isFirst = state.withLock { state in
      state.left = nil
      return !exchange(&state.isDead, with: true)
    }
    if isFirst { hooks.withLock { $0.onKill }() }
  }

  private func add(_ work: @escaping @Sendable () -> Void) {
    let delay = state.withLock { state -> Duration in
      state.works.append(Work(run: work))
      return .milliseconds(500) * state.draw.pick([0, 1, 2, 8])
    }
    _ = scheduler.schedule(after: delay) { [weak self] in self?.run() }
  }

  /// A call waits for a short time only, so that the work may be done or not.
  private func awaitAll() {
    if state.withLock({ $0.draw.chance(60) }) { run() }
  }

  private func run() {
    lines.run {
      while let work = state.withLock({ $0.isDead ? nil : $0.works.first }) {
        work.run()
        state.withLock { _ = $0.works.removeFirst() }
      }
    }
    guard isIdle, state.withLock({ !$0.isDead }) else { return }
    hooks.withLock { $0.onIdle }()
  }

  private func reach() throws(POSIXError) {
    let (isLast, isInterrupted) = state.withLock { state in
      state.left = state.left.map { $0 - 1 }
      return (state.left == 0, state.draw.chance(15))
    }
    if isLast { die() }
    if isInterrupted { hooks.withLock { $0.interleave }() }
    if state.withLock({ $0.isDead }) { throw POSIXError(.EIO) }
  }
}
