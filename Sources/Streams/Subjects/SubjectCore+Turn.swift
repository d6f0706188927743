/// What whoever has the turn does.
extension SubjectCore {
  @inlinable func process(_ event: Event) {
    switch event {
    case .value(let value): deliver(value)
    case .end(let end): deliver(end)
    case .attach(let entry): attach(entry)
    case .detach(let link): remove(link)
    case .catchUp(let link):
      if let index = audience.state.pointee.index(of: link) {
        serve(audience.state.pointee.entries[index])
      }
    }
  }

  @inlinable func deliver(_ value: Output) {
    let audience = audience.state
    guard audience.pointee.end == nil else { return }
    if Memory.keepsValues { audience.pointee.memory.append(value) }
    for index in audience.pointee.entries.indices {
      // Not retained for each value: only who has the turn takes entries out, and is busy here.
      Unmanaged.passUnretained(audience.pointee.entries[index])._withUnsafeGuaranteedRef { entry in
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
      for entry in audience.state.pointee.entries { serve(entry) }
    } else {
      let entries = exchange(&audience.state.pointee.entries, with: [])
      for entry in entries { entry.finish(end) }
    }
  }

  @inlinable func attach(_ entry: Entry) {
    let audience = audience.state
    if let end = audience.pointee.end, !Memory.outlivesEnd {
      entry.finish(end)
    } else if entry.link.isActive {
      entry.link.id = audience.pointee.nextID
      audience.pointee.nextID += 1
      audience.pointee.entries.append(entry)
      if Memory.keepsValues { serve(entry) }
    }
  }

  /// Serves what is kept, as far as it was asked for, and what of the end is to follow.
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
    let released = audience.state.pointee.index(of: link)
      .map { audience.state.pointee.entries.remove(at: $0) }
    withExtendedLifetime(released) {}
  }
}
