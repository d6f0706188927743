import Fixtures
import Foundation
import RESTKit
import Streams
import StreamsTesting

// The invariants at the end of a run.
extension LiveWorld {
  /// Runs a plan and says what was wrong; nothing where all is well.
  static func faults(of plan: LivePlan) -> [String] {
    let live = LiveSubscriptions()
    let faults = live.resume {
      let world = LiveWorld(plan)
      world.run()
      let running = world.network.state.withLock { $0.running.count + $0.waiting.count }
      var faults = world.network.state.withLock { $0.complaints }
      faults += world.readers.flatMap { reader in
        world.faults(of: reader).map { "stream \(reader.number): \($0)" }
      }
      world.close()
      if running > 0 { faults.append("\(running) exchanges run on") }
      if world.scheduler.pendingCount > 0 { faults.append("timers are left") }
      return faults
    }
    return faults + (live.count == 0 ? [] : ["alive: \(live.names)"])
  }

  private func faults(of reader: LiveReader) -> [String] {
    let records = network.records(of: reader.number)
    let values = reader.values
    var faults = reader.complaints
    func expect(_ isSo: Bool, _ text: @autoclosure () -> String) {
      if !isSo { faults.append(text()) }
    }
    guard reader.isOver else { return faults + ["does not end"] }
    guard reader.ask.kind != .call else { return faults + self.faults(ofCall: reader, records) }

    // Each value that the protocol allows once, in order.
    var due: [String] = []
    for record in records {
      // What a thread that another subscriber blocks has not delivered is asked for again.
      if [.rows, .watch, .records].contains(reader.ask.kind), !record.isHop {
        due = Array(due.prefix(record.place ?? 0))
      }
      due += record.values
    }
    let isWhole =
      records.last.map { record in
        record.outcome == .finished && record.script.body != nil
          || record.script.isNothingNew && record.hasHead
      } ?? false
    let isAtEnd = if case .finished? = reader.end { true } else { reader.isCancelled }
    if isAtEnd, let last = records.last?.script,
      last.isNothingNew || reader.ask.kind == .follow, let value = last.last
    {
      due.append(value)
    }
    if case .prefix(let count) = reader.ask.reading { due = Array(due.prefix(count)) }
    let mayStop = reader.isCancelled || hasPassed(reader)
    expect(
      mayStop ? due.starts(with: values) : due == values,
      "got \(values), and \(due) were sent")
    let skipped = records.flatMap(\.effects).count { $0 == .skipped }
    expect(
      mayStop || reader.ask.reading.isPrefix
        ? reader.skipped <= skipped
        : reader.skipped == (reader.ask.skips ? skipped : 0),
      "\(reader.skipped) of \(skipped) lines were skipped")
    expect(
      Self.isInOrder(values, reader), "has a gap, or something twice: \(values)")
    let origins = Set(values.map { $0.split(separator: "|").last?.split(separator: " ").prefix(2) })
    expect(origins.count <= 1, "joins \(origins)")
    let versions = Set(
      values.map { value in value.split(separator: " ").first { $0.hasPrefix("v") } })
    expect(
      !reader.ask.kind.isOneBody && reader.ask.kind != .lines || versions.count <= 1,
      "joins \(versions)")
    faults += self.faults(ofEnd: reader, records, isWhole: isWhole)
    faults += self.faults(ofPauses: reader, records)
    return faults
  }

  private func faults(ofCall reader: LiveReader, _ records: [LiveNetwork.Record]) -> [String] {
    guard case .finished? = reader.end else { return [] }
    let user = reader.user.map { "u\($0)" } ?? "u-"
    let isIts = reader.values.first?.contains("s\(reader.number) \(user) ") == true
    return reader.values.count == 1 && isIts ? [] : ["got \(reader.values)"]
  }

  /// Whether its deadline ended it.
  func hasPassed(_ reader: LiveReader) -> Bool {
    guard let deadline = reader.ask.deadline, let end = reader.endTime else { return false }
    return end >= reader.begin + deadline
  }

  private static func isInOrder(_ values: [String], _ reader: LiveReader) -> Bool {
    let numbers = values.map { value -> Int in
      let part = value.split(separator: " ").first { part in
        part.first == "n" && Int(part.dropFirst()) != nil
      }
      return part.flatMap { Int($0.dropFirst()) } ?? -1
    }
    let ask = reader.ask
    let pairs = zip(numbers, numbers.dropFirst())
    switch (ask.kind, ask.ids) {
    // Those behind the last id come again.
    case (.feed, .some): return pairs.allSatisfy { $0 < $1 || $1 % 3 == 1 }
    case (.feed, .none), (.feed, .cleared): return pairs.allSatisfy { $0 < $1 }
    default:
      let first = ask.kind.isEvents ? ask.known + 1 : 1
      return numbers == Array(first..<first + numbers.count)
    }
  }
}
