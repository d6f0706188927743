import Streams
import StreamsFixtures
import StreamsTesting

extension ConformanceEntry {
  static let timing: [ConformanceEntry] = delaying + hopping + sharing

  private static let delaying: [ConformanceEntry] = [
    .operator("delay") { upstream, rig in
      upstream.delay(for: .milliseconds(10), scheduler: rig.scheduler)
    }
    .timed { base, scheduler in base.delay(for: .milliseconds(10), scheduler: scheduler) },
    .operator("debounce", demand: .unlimited, isLossy: true) { upstream, rig in
      upstream.debounce(for: .milliseconds(10), scheduler: rig.scheduler)
    }
    .timed { base, scheduler in base.debounce(for: .milliseconds(10), scheduler: scheduler) },
    .operator("throttle", "latest", demand: .unlimited, isLossy: true) { upstream, rig in
      upstream.throttle(for: .milliseconds(10), scheduler: rig.scheduler, latest: true)
    }
    .timed { base, scheduler in
      base.throttle(for: .milliseconds(10), scheduler: scheduler, latest: true)
    },
    .operator("throttle", "first", demand: .unlimited, isLossy: true) { upstream, rig in
      upstream.throttle(for: .milliseconds(10), scheduler: rig.scheduler, latest: false)
    }
    .timed { base, scheduler in
      base.throttle(for: .milliseconds(10), scheduler: scheduler, latest: false)
    },
    .operator("timeout") { upstream, rig in
      upstream.timeout(.seconds(100_000), scheduler: rig.scheduler)
    }
    .timed { base, scheduler in base.timeout(.seconds(10), scheduler: scheduler) },
    .operator("measureInterval") { upstream, rig in
      upstream.measureInterval(using: rig.scheduler).map { _ in 0 }
    }
    .timed { base, scheduler in base.measureInterval(using: scheduler).map { _ in 0 } },
    .operator("buffer", "keepFull", demand: .own) { upstream, _ in
      upstream.buffer(size: 5, prefetch: .keepFull, whenFull: .dropNewest)
    },
    .operator("buffer", "byRequest", demand: .unlimited) { upstream, _ in
      upstream.buffer(size: .max, prefetch: .byRequest, whenFull: .dropOldest)
    },
  ]

  private static let hopping: [ConformanceEntry] = [
    .operator("receive") { upstream, rig in upstream.receive(on: rig.scheduler) },
    .operator("receive", "immediate") { upstream, _ in upstream.receive(on: .immediate) }
      .changingNothing(trigger: .nothing) { base, _ in base.receive(on: .immediate) },
    .hop("receive") { $0.receive(on: $1) },
    .operator("subscribe") { upstream, rig in upstream.subscribe(on: rig.scheduler) }
      .timed { base, scheduler in
        base.subscribe(on: scheduler)
      },
  ]

  private static let sharing: [ConformanceEntry] = [
    .operator("share", demand: .unlimited, isLossy: true, isShared: true) { upstream, rig in
      upstream.map { rig.pass($0) }.share()
    }
    .changingNothing(trigger: .nothing) { base, _ in base.share() },
    .operator("share", "with memory", demand: .unlimited, isLossy: true, isShared: true) {
      upstream, rig in
      upstream.map { rig.pass($0) }.share(replay: 3)
    },
    .operator(
      "multicast", "to a new subject each time", demand: .unlimited, isLossy: true, isShared: true
    ) {
      upstream, rig in
      upstream.multicast {
        rig.touch()
        return PassthroughSubject<Int, ConformanceError>()
      }.autoconnect()
    },
    .operator("multicast", "to one subject", demand: .unlimited, isLossy: true, isShared: true) {
      upstream, _ in
      upstream.multicast(subject: PassthroughSubject<Int, ConformanceError>()).autoconnect()
    },
    .operator("makeConnectable", demand: .unlimited, isLossy: true, isShared: true) { upstream, _ in
      upstream.makeConnectable().autoconnect()
    },
    .operator("autoconnect", demand: .unlimited, isLossy: true, isShared: true) { upstream, rig in
      upstream.map { rig.pass($0) }.makeConnectable().autoconnect()
    },
  ]
}
