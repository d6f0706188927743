import Streams
import StreamsFixtures
import StreamsTesting
import Testing

@Suite("Record", .leakFree)
struct RecordTests {
  @Test("Record plays its values and its end to each subscriber")
  func plays() {
    let record = Record<Int, TestError> { recording in
      recording.receive(1)
      recording.receive(2)
      recording.receive(completion: .failure(.third))
    }
    #expect(record.played() == ["1", "2", "failure third"])
    #expect(record.played() == ["1", "2", "failure third"])
    #expect(record.recording.output == [1, 2])
    #expect(record.recording.completion == .failure(.third))
  }

  @Test("A recording finishes by default")
  func finishes() {
    #expect(Record<Int, TestError> { $0.receive(1) }.played() == ["1", "finished"])
    #expect(Record<Int, TestError>(recording: .init(output: [1])).played() == ["1", "finished"])
  }

  @Test("C-3: values wait for demand, and the end does not")
  func demand() {
    let subscriber = TestSubscriber<Int, TestError>(demand: .max(1))
    failing(1, 2).subscribe(subscriber)
    #expect(subscriber.kinds == ["subscription", "1"])
    subscriber.request(.max(1))
    #expect(subscriber.kinds == ["subscription", "1", "2", "failure first"])
    #expect(failing().played(asking: .none) == ["failure first"])
  }

  @Test("C-4: a cancel inside a record's last value suppresses the end")
  func cancelInside() {
    let subscriber = TestSubscriber<Int, TestError> { subscriber, _ in
      subscriber.cancel()
      return .none
    }
    failing(1).subscribe(subscriber)
    #expect(subscriber.kinds == ["subscription", "1"])
  }

  @Test("C-15: signals recorded after the end are dropped and reported")
  func afterEnd() {
    var recording = Record<Int, TestError>.Recording()
    let reported = violations {
      recording.receive(completion: .finished)
      recording.receive(1)
      recording.receive(completion: .failure(.first))
    }
    #expect(reported.map(\.rule) == [.valueAfterEnd, .secondEnd])
    #expect(recording.output.isEmpty)
    #expect(recording.completion == .finished)
  }
}
