import Foundation
import Streams

/// A splitter that makes events from the chunks of one connection.
struct EventStreamReader: Publishers.Splitter {
  private var parser: ServerSentEventParser
  private let memory: EventStreamMemory
  private let stream: LiveStream
  private var reconnectionTime: Duration?

  init(limit: Int, memory: EventStreamMemory, stream: LiveStream) {
    parser = ServerSentEventParser(limit: limit, lastEventID: memory.id)
    self.memory = memory
    self.stream = stream
  }

  mutating func receive(_ chunk: Data) throws(any Error) {
    parser.receive(chunk)
  }

  mutating func next() throws(any Error) -> ServerSentEvent? {
    do throws(LineError) {
      let event = try parser.next()
      memory.note(parser.lastEventID)
      if let time = parser.reconnectionTime, time != reconnectionTime {
        reconnectionTime = time
        stream.noteServerDelay(time)
      }
      return event
    } catch {
      throw RESTError(error, request: stream.call.journal.request)
    }
  }

  func end(
    _ completion: Subscribers.Completion<any Error>
  ) -> Subscribers.Completion<any Error> {
    completion
  }
}
