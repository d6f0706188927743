import Streams
import StreamsTesting
import Testing

@Suite("TestScheduler")
struct TestSchedulerTests {
}
