/// The work of the thread that has the turn.
extension SubjectCore {
  @inlinable func process(_ event: Event) {
    switch event {
    case .value(let value): deliver(value)
    case .end(let end): deliver(end)
    case .attach(let entry): attach(entry)
    case .detach(let link):
      remove(link)
      audience.state.pointee.closeGaps()
    case .catchUp(let link):
      if let entry = audience.state.pointee.entry(of: link) { serve(entry) }
      audience.state.pointee.closeGaps()
    }
  }

  @inlinable func deliver(_ value: Output) {
    let audience = audience.state
    guard audience.pointee.end == nil else { return }
    if Memory.keepsValues { audience.pointee.memory.append(value) }
    for index in audience.pointee.entries.indices {
      // The entry is not retained for each value: only the thread that has the turn removes
      // entries, and it is busy here.
      let unretained = audience.pointee.entries[index].map(Unmanaged.passUnretained)
      unretained?._withUnsafeGuaranteedRef { entry in
        if Memory.keepsValues {
          serve(entry)
        } else if entry.link.isActive, entry.link.claim() {
          entry.link.add(entry.subscriber.receive(value))
        }
      }
    }
    if Memory.keepsValues { audience.pointee.memory.trim() }
  }

  @inlinable func deliver(_ end: End) {
    audience.state.pointee.end = end
    if Memory.outlivesEnd {
      for index in audience.state.pointee.entries.indices {
        if let entry = audience.state.pointee.entries[index] { serve(entry) }
      }
      audience.state.pointee.closeGaps()
    } else {
      let entries = exchange(&audience.state.pointee.entries, with: [])
      for entry in entries { entry?.finish(end) }
    }
  }

  @inlinable func attach(_ entry: Entry) {
    let audience = audience.state
    if let end = audience.pointee.end, !Memory.outlivesEnd {
      entry.finish(end)
    } else if entry.link.isActive {
      audience.pointee.append(entry)
      if Memory.keepsValues {
        serve(entry)
        audience.pointee.closeGaps()
      }
    }
  }

  /// Serves the kept values that are requested, and the end if it follows them.
  @inlinable func serve(_ entry: Entry) {
    let audience = audience.state
    let link = entry.link
    link.position = max(link.position, audience.pointee.memory.start)
    while link.isActive, link.position < audience.pointee.memory.end, link.claim() {
      guard let value = audience.pointee.memory[link.position] else { return }
      link.position += 1
      link.add(entry.subscriber.receive(value))
    }
    if let end = audience.pointee.end, link.position == audience.pointee.memory.end {
      entry.finish(end)
      remove(link)
    }
  }

  @inlinable func remove(_ link: SubjectLink) {
    let released = audience.state.pointee.remove(link)
    withExtendedLifetime(released) {}
  }
}
