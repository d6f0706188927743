#if os(Linux)
  import Foundation
  import RESTKit
  import Streams
  import Synchronization
  import Testing

  extension IntegrationTests {
    /// A container engine at its unix socket, without a container that runs.
    @Suite("Against podman", .timeLimit(.minutes(5)))
    struct Podman {
      private let name = "test-\(UUID().uuidString.lowercased())"
      private let soon = ReconnectPolicy(delay: .milliseconds(50), maxDelay: .milliseconds(200))

      private func engine() throws -> PodmanAPI {
        try PodmanAPI(socket: #require(PodmanService.shared))
      }

      @Test("the engine names its version")
      func version() async throws {
        #expect(try await engine().send(PodmanVersion()).version.contains("."))
      }

      @Test("a volume is created, found by a filter with any characters, and removed")
      func volumes() async throws {
        let engine = try engine()
        let labels = ["of": "a+b & \"c\" = d/é?", "test": name]
        let volume = try await engine.send(CreateVolume(name: name, labels: labels))
        #expect(volume == Volume(name: name, labels: labels))
        let list = Volumes(labels: labels.map { "\($0)=\($1)" })
        #expect(try await engine.send(list) == [volume])
        #expect(try await engine.send(Volumes(labels: ["test=\(name) "])).isEmpty)
        try await engine.send(RemoveVolume(name: name))
        #expect(try await engine.send(list).isEmpty)
      }

      @Test("a refusal is the engine's, typed")
      func refusal() async throws {
        let failure = await #expect(throws: PodmanFailure.self) {
          try await engine().send(RemoveVolume(name: name))
        }
        guard case .refused(let refusal) = failure else { throw try #require(failure) }
        #expect(refusal.response == 404)
        #expect(refusal.cause == "no such volume")
        #expect(refusal.message.contains(name))
      }

      @Test("an engine that is not there fails with its socket's name")
      func absent() async throws {
        let failure = await #expect(throws: PodmanFailure.self) {
          // Nothing is made there. A temporary folder's path may be too long for a socket.
          try await PodmanAPI(socket: "/tmp/\(name).sock").send(PodmanVersion())
        }
        guard case .call(let error as RESTError) = failure else { throw try #require(failure) }
        #expect(error.kind == .transport(.connectFailed))
        #expect("\(error)".contains("\(name).sock"))
      }

      @Test("a retry reaches an engine that starts meanwhile")
      func retry() async throws {
        let service = try PodmanService()
        let policy = RetryPolicy(
          maxAttempts: 50, baseDelay: .milliseconds(20), maxDelay: .milliseconds(200))
        let engine = try PodmanAPI(socket: service.socket, retry: policy)
        let (waits, wait) = AsyncStream.makeStream(of: Void.self)
        let watch = engine.transport.callEvents.sink { event in
          if case .waiting = event.kind { wait.yield() }
        }
        async let version = engine.send(PodmanVersion()).version
        var iterator = waits.makeAsyncIterator()
        await iterator.next()
        try service.start()
        #expect(try await version.contains("."))
        watch.cancel()
      }

      @Test("40 volumes that are created at once are 40 events")
      func many() async throws {
        let engine = try engine()
        let label = "test=\(name)"
        let events = engine.events(of: "volume", since: .now.addingTimeInterval(-1), soon)
          .filter { [name] in $0.name.hasPrefix(name) }
          .prefix(40)
        let volumes = try await withThrowingTaskGroup { group in
          for number in 1...40 {
            group.addTask { [name] in
              try await engine.send(
                CreateVolume(name: "\(name)-\(number)", labels: ["test": name]))
            }
          }
          return try await group.reduce(into: []) { $0.append($1.name) }
        }
        #expect(try await events.collect().value.map(\.name).sorted() == volumes.sorted())
        let listed = try await engine.send(Volumes(labels: [label])).map(\.name)
        #expect(listed.sorted() == volumes.sorted())
        for volume in volumes { try await engine.send(RemoveVolume(name: volume)) }
      }

      // MARK: Events

      @Test("each event arrives once, also over restarts of the service")
      func events() async throws {
        let engine = try engine()
        let service = try PodmanService()
        try service.start()
        let follower = try PodmanAPI(socket: service.socket)
        var seen: [String] = []
        let events = follower.events(of: "volume", since: .now.addingTimeInterval(-1), soon)
          .filter { [name] in $0.name.hasPrefix(name) }
        let count = 6
        var made = 0
        func makeVolume() async throws {
          made += 1
          _ = try await engine.send(CreateVolume(name: "\(name)-\(made)"))
        }

        try await makeVolume()
        for try await event in events.values(buffering: .prefetch(1)) {
          seen.append("\(event.action) \(event.name.dropFirst(name.count + 1))")
          if seen.count.isMultiple(of: 4), made < count {
            // What happens while the service is down comes with the next connection.
            service.kill()
            try await makeVolume()
            try service.start()
          } else if event.action == "create" {
            try await engine.send(RemoveVolume(name: event.name))
          } else if made < count {
            try await makeVolume()
          } else {
            break
          }
        }
        #expect(seen == (1...count).flatMap { ["create \($0)", "remove \($0)"] })
      }

      @Test("a cancel ends the connection to the service at once")
      func cancel() async throws {
        let service = try PodmanService()
        try service.start()
        let follower = try PodmanAPI(socket: service.socket)
        let (heads, head) = AsyncStream.makeStream(of: Int.self)
        let stream = follower.events(of: "volume", since: .now, soon)
          .handleHead { head.yield($0.statusCode) }
          .sink(receiveCompletion: { _ in head.finish() }, receiveValue: { _ in })
        var iterator = heads.makeAsyncIterator()
        #expect(await iterator.next() == 200)
        #expect(try service.connections == 1)

        let start = ContinuousClock.now
        stream.cancel()
        // Without the cancel the service would send nothing and keep the connection for ever.
        while try service.connections > 0, start.duration(to: .now) < .seconds(10) {
          // The kernel's table tells nobody of a change.
          try await Task.sleep(for: .milliseconds(1))
        }
        #expect(start.duration(to: .now) < .seconds(2))
      }

      // MARK: Images

      /// A folder with a tar archive of one file.
      private func archive(bytes: Int) throws -> (folder: URL, archive: URL) {
        let folder = FileManager.default.temporaryDirectory.appending(path: name)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        let archive = folder.appending(path: "files.tar")
        try tar(named: "data", Data((0..<bytes).map { UInt8(truncatingIfNeeded: $0 &* 7) }))
          .write(to: archive)
        return (folder, archive)
      }

      @Test("an archive becomes an image, a container's, and a file again, with progress")
      func image() async throws {
        let engine = try engine()
        let size = 8 << 20
        let (folder, archive) = try archive(bytes: size)
        defer { try? FileManager.default.removeItem(at: folder) }
        let image = "localhost/\(name):1"

        let sent = Mutex(Int64(0))
        let imported = try await engine.upload(ImportImage(archive: archive, name: image))
          .handleProgress { progress in sent.withLock { $0 = progress.completedBytes } }
          .decode(type: ImportImage.Response.self)
          .value
        #expect(imported.id.hasPrefix("sha256:"))
        #expect(sent.withLock { $0 } == size + 2048)

        let container = try await engine.send(
          CreateContainer(name: name, image: image, command: "/data"))
        #expect(!container.id.isEmpty)
        try await engine.send(RemoveContainer(name: name))

        let exported = folder.appending(path: "image.tar")
        var received: [Int64] = []
        var isFinished = false
        for try await event in engine.download(ExportImage(name: image), to: exported).values {
          switch event {
          case .progress(let progress): received.append(progress.completedBytes)
          case .finished(let head):
            #expect(head.statusCode == 200)
            isFinished = true
          }
        }
        #expect(isFinished)
        #expect(received == received.sorted())
        let written = try exported.resourceValues(forKeys: [.fileSizeKey]).fileSize
        #expect(received.last == written.map(Int64.init))

        try await engine.send(RemoveImage(name: image))
        let loaded = try await engine.upload(LoadImages(archive: exported))
          .decode(type: LoadImages.Response.self).value
        #expect(loaded.names == [image])
        try await engine.send(RemoveImage(name: image))
      }

      @Test("a download that the service's end cuts is whole after a restart")
      func cutDownload() async throws {
        let engine = try engine()
        let (folder, archive) = try archive(bytes: 8 << 20)
        defer { try? FileManager.default.removeItem(at: folder) }
        let image = "localhost/\(name):1"
        _ = try await engine.upload(ImportImage(archive: archive, name: image))
          .decode(type: ImportImage.Response.self).value

        let service = try PodmanService()
        try service.start()
        let policy = RetryPolicy(
          maxAttempts: 50, baseDelay: .milliseconds(20), maxDelay: .milliseconds(200))
        let exporter = try PodmanAPI(socket: service.socket, retry: policy)
        let exported = folder.appending(path: "image.tar")
        let events = exporter.download(ExportImage(name: image), to: exported)
        var isCut = false
        var restarts = 0
        var completed: Int64 = 0
        for try await event in events.values(buffering: .prefetch(1)) {
          guard case .progress(let progress) = event else { continue }
          if progress.completedBytes < completed { restarts += 1 }
          completed = progress.completedBytes
          if !isCut, completed > 0 {
            isCut = true
            service.kill()
            try service.start()
          }
        }
        #expect(restarts == 1)
        let loaded = try await engine.upload(LoadImages(archive: exported))
          .decode(type: LoadImages.Response.self).value
        #expect(loaded.names == [image])
        try await engine.send(RemoveImage(name: image))
      }

      /// A tar archive of one file (POSIX ustar).
      private func tar(named name: String, _ contents: Data) -> Data {
        var header = [UInt8](repeating: 0, count: 512)
        func write(_ text: String, at offset: Int) {
          header.replaceSubrange(offset..<offset + text.utf8.count, with: text.utf8)
        }
        write(name, at: 0)
        write("0000644\0" + "0000000\0" + "0000000\0", at: 100)
        write(String(format: "%011o\0%011o\0", contents.count, 0), at: 124)
        write("        0", at: 148)
        write("ustar\0" + "00", at: 257)
        let sum = header.reduce(0) { $0 + Int($1) }
        write(String(format: "%06o\0 ", sum), at: 148)
        return Data(header) + contents + Data(count: 512 - contents.count % 512 + 1024)
      }
    }
  }
#endif
