import Fixtures
import Foundation
import Testing

@testable import RESTKit

@Suite("SEC-13: an interrupted write leaves the old token file or the new one")
struct FileTokenStoreFaultTests {
  typealias Step = FileTokenStore.Step

  @Test(
    "TR-20: a full disk at any step keeps the old credential and leaves no part of the new one",
    arguments: Step.allCases)
  func fullDisk(at failing: Step) throws {
    let folder = try TokenFolder()
    try folder.store.write(.number(1))
    let store = FileTokenStore(file: folder.file) { (step) throws(POSIXError) in
      if step == failing { throw POSIXError(.ENOSPC) }
    }
    let error = #expect(throws: FileTokenStoreError.self) {
      try store.replace(.number(1), with: .number(2))
    }
    #expect(error?.kind == .noSpace)
    #expect(error?.path == folder.file.path)
    #expect(try folder.store.read() == .number(failing == .synchronizeFolder ? 2 : 1))
    #expect(try folder.names == ["credential.json", ".credential.json.lock"])
    // The lock is free again.
    try folder.store.write(.number(3))
    #expect(try folder.store.read() == .number(3))
  }

  @Test(
    "A process that ends at any step leaves a whole file, and the next write cleans up",
    arguments: Step.allCases)
  func crash(at last: Step) async throws {
    let folder = try TokenFolder()
    try folder.store.write(.number(1))
    let index = try #require(Step.allCases.firstIndex(of: last))
    await #expect(processExitsWith: .exitCode(42)) {
      [
        index = index as Int, path = folder.file.path as String
      ] in
      let store = FileTokenStore(file: URL(filePath: path)) { step in
        if step == FileTokenStore.Step.allCases[index] { _exit(42) }
      }
      try store.write(.number(2))
    }
    let isInPlace = last == .synchronizeFolder
    #expect(try folder.store.read() == .number(isInPlace ? 2 : 1))
    let leavesPart = last != .make && !isInPlace
    #expect(FileManager.default.fileExists(atPath: folder.leftover.path) == leavesPart)

    #expect(try folder.store.replace(.number(isInPlace ? 2 : 1), with: .number(3)))
    #expect(try folder.store.read() == .number(3))
    #expect(try folder.names == ["credential.json", ".credential.json.lock"])
  }

  @Test("A link placed in the way of a write is not followed", arguments: [Step.make, .rename])
  func inTheWay(at step: Step) throws {
    let folder = try TokenFolder()
    try folder.store.write(.number(1))
    let place = step == .make ? folder.leftover : folder.file
    let store = FileTokenStore(file: folder.file) { reached in
      guard reached == step else { return }
      try? FileManager.default.removeItem(at: place)
      #expect(mkdir(place.path, 0o700) == 0)
    }
    let error = #expect(throws: FileTokenStoreError.self) { try store.write(.number(2)) }
    #expect(error?.path == place.path)
    if step == .make { #expect(try folder.store.read() == .number(1)) }
  }

  @Test("A leftover that cannot be removed stops the write, and the error names it")
  func stuckLeftover() throws {
    let folder = try TokenFolder()
    try folder.store.write(.number(1))
    #expect(mkdir(folder.leftover.path, 0o700) == 0)
    let error = #expect(throws: FileTokenStoreError.self) { try folder.store.write(.number(2)) }
    #expect(error?.path == folder.leftover.path)
    // It is the removal that failed, and not the making of the new one.
    #expect(error?.kind != .system(.EEXIST))
    #expect(try folder.store.read() == .number(1))
  }

  @Test("A credential that JSON cannot hold keeps the old one")
  func endless() throws {
    let folder = try TokenFolder()
    try folder.store.write(.number(1))
    let endless = Credential(
      accessToken: "2", expiresAt: Date(timeIntervalSinceReferenceDate: .infinity))
    #expect(throws: FileTokenStoreError.self) { try folder.store.write(endless) }
    #expect(try folder.store.read() == .number(1))
  }

  #if os(Linux)
    @Test("A folder that cannot be created is reported with its path")
    func noFolder() {
      let store = FileTokenStore(file: URL(filePath: "/proc/RESTKitTests/credential.json"))
      let error = #expect(throws: FileTokenStoreError.self) { try store.write(.number(1)) }
      #expect(error?.path == "/proc/RESTKitTests")
    }

    @Test("The system's reason for a folder that cannot be created is reported")
    func refusedFolder() {
      let store = FileTokenStore(file: URL(filePath: "/sys/RESTKitTests/credential.json"))
      let error = #expect(throws: FileTokenStoreError.self) { try store.write(.number(1)) }
      #expect(error?.path == "/sys/RESTKitTests")
      #expect(error?.kind != .system(.ENOENT))
    }
  #endif

  @Test("A sign-out also removes the leftovers of a process that ended")
  func signOutAfterCrash() throws {
    let folder = try TokenFolder()
    try folder.store.write(.number(1))
    try Data(#"{"version": 1, "credential": {"acc"#.utf8).write(to: folder.leftover)
    #expect(try folder.store.read() == .number(1))
    // No call that succeeds is judged by what an earlier one has left here.
    errno = EIO
    try folder.store.write(nil)
    #expect(try folder.names == [".credential.json.lock"])
  }

  #if os(Linux)
    @Test("A write cut by the system keeps the old credential")
    func cutWrite() async throws {
      let folder = try TokenFolder()
      try folder.store.write(.number(1))
      // In a process of its own, since the limit is the process's.
      await #expect(processExitsWith: .success) { [path = folder.file.path as String] in
        signal(SIGXFSZ, SIG_IGN)
        let store = FileTokenStore(file: URL(filePath: path)) { step in
          limitFiles(to: step == .write ? 10 : nil)
        }
        let error = #expect(throws: FileTokenStoreError.self) { try store.write(.number(2)) }
        #expect(error?.kind == .noSpace)
        // Output at the end of the process must be whole, such as the counts of a coverage run.
        limitFiles(to: nil)
      }
      #expect(try folder.store.read() == .number(1))
      #expect(try folder.names == ["credential.json", ".credential.json.lock"])
    }
  #endif

  @Test("TR-31: a write waits for a running write, and a read does not")
  func waits() async throws {
    let folder = try TokenFolder()
    try folder.store.write(.number(1))
    let (reached, reach) = AsyncStream<Void>.makeStream()
    let mayGoOn = DispatchSemaphore(value: 0)
    let slow = FileTokenStore(file: folder.file) { step in
      if step == .rename {
        reach.finish()
        mayGoOn.wait()
      }
    }
    Thread { _ = try? slow.replace(.number(1), with: .number(2)) }.start()
    for await _ in reached {}
    let lock = try FileHandle.opening(folder.lock.path, O_RDWR)
    #expect(try !lock.takeLock(waiting: false))
    #expect(try folder.store.read() == .number(1))

    mayGoOn.signal()
    // It gets the lock when the other has let it go, and then it is too late.
    #expect(try !folder.store.replace(.number(1), with: .number(3)))
    #expect(try folder.store.read() == .number(2))
  }
}

#if os(Linux)
  /// Limits how long files may become that this process writes; nil for no limit.
  private func limitFiles(to bytes: rlim_t?) {
    let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
    var limit = rlimit()
    getrlimit(resource, &limit)
    limit.rlim_cur = bytes ?? limit.rlim_max
    #expect(setrlimit(resource, &limit) == 0)
  }
#endif
