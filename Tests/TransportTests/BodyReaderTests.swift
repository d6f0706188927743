#if os(Linux)
  import Fixtures
  import Foundation
  import Streams
  import StreamsTesting
  import Testing

  @testable import HTTPTransport
  @testable import RESTKit

  @Suite("The body readers of libcurl")
  struct BodyReaderTests {
    /// The whole output of a reader, read in parts of the given size.
    private func all(_ reader: any BodyReader, by count: Int = 3) throws -> Data {
      var data = Data()
      var buffer = [UInt8](repeating: 0, count: count)
      while true {
        let read = try buffer.withUnsafeMutableBytes { bytes in
          Result { () throws(TransportError) in try reader.read(into: bytes) }
        }.get()
        guard case .bytes(let count) = read else { return data }
        data += buffer[..<count]
      }
    }

    private func fault(_ reader: any BodyReader) throws -> TransportError {
      let fault = try #require(throws: TransportError.self) { try all(reader) }
      #expect(fault.mayHaveBeenProcessed)
      return fault
    }

    private func chunks(_ texts: String...) -> AnyPublisher<Data, any Error> {
      texts.map { Data($0.utf8) }.publisher.setFailureType(to: (any Error).self)
        .eraseToAnyPublisher()
    }

    @Test("Each reader gives its bytes in order, and again after a rewind")
    func bytes() throws {
      let folder = try TemporaryFolder()
      let file = try folder.file("body", Data("0123456789".utf8))
      let readers: [any BodyReader] = [
        DataBodyReader(Data("xx0123456789".utf8).dropFirst(2)), try FileBodyReader(file),
        DrivenReader(chunks("0123", "", "456789"), length: nil) {},
        DrivenReader(chunks("0123", "", "456789"), length: 10) {},
      ]
      for reader in readers {
        #expect(reader.rewind(to: 0))
        #expect(try all(reader) == Data("0123456789".utf8))
        #expect(reader.rewind(to: 0))
        #expect(try all(reader) == Data("0123456789".utf8))
        reader.close()
      }
    }

    @Test("Data and files can seek to any place within them, and to no other")
    func places() throws {
      let folder = try TemporaryFolder()
      let file = try folder.file("body", Data("0123456789".utf8))
      let readers: [any BodyReader] = [
        DataBodyReader(Data("0123456789".utf8)), try FileBodyReader(file),
      ]
      for reader in readers {
        #expect(reader.length == 10)
        #expect(reader.rewind(to: 7))
        #expect(try all(reader) == Data("789".utf8))
        #expect(reader.rewind(to: 10))
        #expect(try all(reader).isEmpty)
        for place: Int64 in [-1, 11, .max, .min] { #expect(!reader.rewind(to: place)) }
      }
    }

    @Test("A rewind before the first byte does not subscribe again")
    func rewindAtStart() throws {
      let subscriptions = Counter()
      let reader = DrivenReader(
        chunks("0123").handleEvents(receiveSubscription: { _ in subscriptions.add() })
          .eraseToAnyPublisher(), length: nil
      ) {}
      #expect(reader.rewind(to: 0))
      #expect(subscriptions.value == 1)
      #expect(try all(reader) == Data("0123".utf8))
      #expect(reader.rewind(to: 0))
      #expect(subscriptions.value == 2)
    }

    @Test("A publisher that sends its subscription after the close is cancelled, without demand")
    func closedBefore() {
      let inlet = ChunkInlet {}
      inlet.close()
      let (cancels, requests) = (Counter(), Counter())
      inlet.receive(
        subscription: NotingSubscription(onRequest: { requests.add() }, onCancel: { cancels.add() })
      )
      #expect(cancels.value == 1)
      #expect(requests.value == 0)
    }

    @Test("Chunks can rewind to the current place or to the start")
    func chunkPlaces() throws {
      let reader = DrivenReader(chunks("0123"), length: nil) {}
      var byte: [UInt8] = [0]
      let read = try byte.withUnsafeMutableBytes { bytes in
        Result { () throws(TransportError) in try reader.read(into: bytes) }
      }.get()
      #expect(read == .bytes(1))
      #expect(reader.rewind(to: 1))
      #expect(!reader.rewind(to: 2))
      #expect(try all(reader) == Data("123".utf8))
    }

    @Test("A rewind gives the bytes from the start, and cancels the previous subscription")
    func chunksAgain() throws {
      let reader = DrivenReader(chunks("0123"), length: 4) {}
      for _ in 0..<2 {
        var byte: [UInt8] = [0]
        let read = try byte.withUnsafeMutableBytes { bytes in
          Result { () throws(TransportError) in try reader.read(into: bytes) }
        }.get()
        #expect(read == .bytes(1))
        #expect(reader.rewind(to: 0))
      }
      #expect(try all(reader) == Data("0123".utf8))
      let upstream = TestPublisher<Data, any Error>()
      let other = DrivenReader(upstream.eraseToAnyPublisher(), length: nil) {}
      upstream.send(Data("a".utf8))
      #expect(try all(other) == Data("a".utf8))
      #expect(upstream.cancelCount == 0)
      #expect(other.rewind(to: 0))
      #expect(upstream.cancelCount == 1)
      #expect(upstream.subscriberCount == 1)
    }

    @Test("Two chunks are requested at first, and one more for each taken chunk")
    func demands() {
      let upstream = TestPublisher<Data, any Error>()
      let ready = Counter()
      let inlet = ChunkInlet { ready.add() }
      upstream.subscribe(inlet)
      #expect(upstream.requests == [.max(2)])
      upstream.send(Data("a".utf8))
      upstream.send(Data("b".utf8))
      // No reader waits, so there is no notification.
      #expect(ready.value == 0)
      for count in 1...2 {
        guard case .chunk = inlet.next() else {
          Issue.record("there is no chunk \(count)")
          return
        }
        inlet.ask()
        let asked: [Subscribers.Demand] = Array(repeating: .max(1), count: count)
        #expect(Array(upstream.requests.dropFirst()) == asked)
      }
      guard case .nothingYet = inlet.next() else {
        Issue.record("there is something")
        return
      }
      #expect(upstream.requests.count == 3)
    }

    @Test("Nested requests are collected and sent after the current one")
    func nestedDemands() {
      let inlet = ChunkInlet {}
      let requests = Lock<[Subscribers.Demand]>([])
      inlet.receive(
        subscription: DemandingSubscription { demand in
          requests.withLock { $0.append(demand) }
          // The first is for two chunks ahead.
          guard requests.withLock({ $0.count }) == 2 else { return }
          for _ in 0..<2 { _ = inlet.next() }
          inlet.ask()
          #expect(requests.withLock { $0.count } == 2)
        })
      for text in ["a", "b", "c"] { _ = inlet.receive(Data(text.utf8)) }
      _ = inlet.next()
      inlet.ask()
      #expect(requests.withLock { $0 } == [.max(2), .max(1), .max(2)])
    }

    @Test("During a slow first request no second thread requests more")
    func longFirstDemand() {
      let inlet = ChunkInlet {}
      let requests = Lock<[Subscribers.Demand]>([])
      inlet.receive(
        subscription: DemandingSubscription { demand in
          requests.withLock { $0.append(demand) }
          guard requests.withLock({ $0.count }) == 1 else { return }
          _ = inlet.receive(Data("a".utf8))
          _ = inlet.next()
          inlet.ask()
          #expect(requests.withLock { $0.count } == 1)
        })
      #expect(requests.withLock { $0 } == [.max(2), .max(1)])
    }

    @Test("A chunk's deallocator runs where publisher code may run")
    func releasedChunks() throws {
      let desk = TellingDesk()
      let released = Counter()
      let subject = PassthroughSubject<Data, any Error>()
      let reader = ChunkBodyReader(
        subject.eraseToAnyPublisher(), length: nil, desk.deliveryQueue, onReady: {})
      desk.tellAll()
      var buffer = [UInt8](repeating: 0, count: 100)
      for _ in 0..<3 {
        let bytes = UnsafeMutableRawPointer.allocate(byteCount: buffer.count, alignment: 1)
        bytes.initializeMemory(as: UInt8.self, repeating: 7, count: buffer.count)
        subject.send(
          Data(
            bytesNoCopy: bytes, count: buffer.count,
            deallocator: .custom { bytes, _ in
              bytes.deallocate()
              released.add()
            }))
        // With the second chunk it is done with the first, and so on.
        let before = released.value
        let read = try buffer.withUnsafeMutableBytes { bytes in
          Result { () throws(TransportError) in try reader.read(into: bytes) }
        }.get()
        #expect(read == .bytes(100))
        #expect(released.value == before)
        desk.tellAll()
      }
      #expect(released.value == 2)
      reader.close()
      #expect(released.value == 2)
      desk.tellAll()
      #expect(released.value == 3)
    }

    @Test("A second subscription is cancelled, and the first one continues")
    func secondSubscription() {
      let inlet = ChunkInlet {}
      let (cancels, requests) = (Counter(), Counter())
      for _ in 0..<2 {
        inlet.receive(
          subscription: NotingSubscription(
            onRequest: { requests.add() }, onCancel: { cancels.add() }))
      }
      #expect(requests.value == 1)
      #expect(cancels.value == 1)
      inlet.close()
      #expect(cancels.value == 2)
    }

    @Test("A chunk after the close is dropped, without a notification")
    func afterTheClose() {
      let ready = Counter()
      let inlet = ChunkInlet { ready.add() }
      guard case .nothingYet = inlet.next() else {
        Issue.record("there is something")
        return
      }
      inlet.close()
      #expect(inlet.receive(Data("late".utf8)) == .none)
      #expect(ready.value == 0)
      guard case .nothingYet = inlet.next() else {
        Issue.record("there is something")
        return
      }
    }

    @Test("A file that becomes shorter fails with the place")
    func shorter() throws {
      let folder = try TemporaryFolder()
      let file = try folder.file("body", Data("0123456789".utf8))
      let reader = try FileBodyReader(file)
      try FileHandle(forWritingTo: file).truncate(atOffset: 4)
      let fault = try fault(reader)
      #expect(fault.kind == .sendFailed)
      #expect(fault.detail == "the body's file ended after 4 of 10 bytes")
      #expect(fault.mayHaveBeenProcessed)
    }

    @Test("A file that becomes longer keeps its announced length")
    func longer() throws {
      let folder = try TemporaryFolder()
      let file = try folder.file("body", Data("0123".utf8))
      let reader = try FileBodyReader(file)
      try Data("0123456789".utf8).write(to: file)
      #expect(try all(reader).count <= 4)
    }

    @Test("More or fewer chunk bytes than announced, or a failure, are a fault")
    func wrongChunks() throws {
      let more = try fault(DrivenReader(chunks("0123"), length: 3) {})
      #expect(more.detail.contains("more than the 3 bytes"))
      let fewer = try fault(DrivenReader(chunks("0123"), length: 5) {})
      #expect(fewer.detail.contains("ended after 4 of 5 bytes"))
      let failing = Fail<Data, any Error>(error: TestFailure()).eraseToAnyPublisher()
      let failed = try fault(DrivenReader(failing, length: nil) {})
      #expect(failed.detail.contains("TestFailure"))
    }

    @Test("A waiting reader is notified once; two chunks are requested ahead")
    func waiting() throws {
      let upstream = TestPublisher<Data, any Error>()
      let ready = Counter()
      let reader = DrivenReader(upstream.eraseToAnyPublisher(), length: nil) { ready.add() }
      #expect(try all(reader).isEmpty)
      #expect(ready.value == 0)
      upstream.send(Data("a".utf8))
      upstream.send(Data("b".utf8))
      #expect(ready.value == 1)
      #expect(try all(reader) == Data("ab".utf8))
      upstream.send(completion: .finished)
      #expect(ready.value == 2)
      #expect(try all(reader).isEmpty)
    }

    @Test("Closing cancels the publisher, and drops its later output")
    func close() throws {
      let cancels = Counter()
      let subject = PassthroughSubject<Data, any Error>()
      let ready = Counter()
      let reader = DrivenReader(
        subject.handleEvents(receiveCancel: { cancels.add() }).eraseToAnyPublisher(), length: nil
      ) { ready.add() }
      #expect(try all(reader).isEmpty)
      reader.close()
      #expect(cancels.value == 1)
      subject.send(Data("late".utf8))
      #expect(ready.value == 0)
    }
  }

  /// A reader of chunks whose errands are run at once.
  private final class DrivenReader: BodyReader {
    private let desk = TellingDesk()
    private let reader: ChunkBodyReader

    init(
      _ publisher: AnyPublisher<Data, any Error>, length: Int64?,
      onReady: @escaping @Sendable () -> Void
    ) {
      reader = ChunkBodyReader(publisher, length: length, desk.deliveryQueue, onReady: onReady)
      desk.tellAll()
    }

    var length: Int64? { reader.length }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(TransportError) -> BodyRead {
      defer { desk.tellAll() }
      return try reader.read(into: buffer)
    }

    func rewind(to offset: Int64) -> Bool {
      defer { desk.tellAll() }
      return reader.rewind(to: offset)
    }

    func close() {
      reader.close()
      desk.tellAll()
    }
  }

  private struct DemandingSubscription: Subscription {
    let onRequest: @Sendable (Subscribers.Demand) -> Void

    func request(_ demand: Subscribers.Demand) { onRequest(demand) }
    func cancel() {}
  }

  private struct NotingSubscription: Subscription {
    let onRequest: @Sendable () -> Void
    let onCancel: @Sendable () -> Void

    func request(_ demand: Subscribers.Demand) { onRequest() }
    func cancel() { onCancel() }
  }
#endif
