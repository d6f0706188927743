import Fixtures
import Foundation
import Testing

@testable import RESTKit

@Suite("Files opened and locked with system calls", .timeLimit(.minutes(10)))
struct FileHandleTests {
  @Test("A system error is thrown with its code")
  func codes() throws {
    let folder = try TemporaryFolder()
    let path = folder.url.appendingPathComponent("none").path
    let missing = #expect(throws: POSIXError.self) { try FileHandle.opening(path, O_RDONLY) }
    #expect(missing?.code == .ENOENT)
    let none = FileHandle(fileDescriptor: -1, closeOnDealloc: false)
    let unlocked = #expect(throws: POSIXError.self) { try none.takeLock(waiting: false) }
    #expect(unlocked?.code == .EBADF)
  }

  @Test("A file and a folder are written to the medium")
  func medium() throws {
    let folder = try TemporaryFolder()
    let file = try FileHandle.opening(try folder.file("file", Data("x".utf8)).path, O_RDWR)
    try file.writeToMedium()
    try FileHandle.opening(folder.url.path, O_RDONLY | O_DIRECTORY).writeToMedium()
  }

  @Test("What cannot be written to the medium is an error, and no silent success")
  func noMedium() throws {
    let none = FileHandle(fileDescriptor: -1, closeOnDealloc: false)
    let closed = #expect(throws: POSIXError.self) { try none.writeToMedium() }
    #expect(closed?.code == .EBADF)
    #if os(Linux)
      // A pipe has no medium (fsync(2)).
      let pipe = Pipe()
      let unsupported = #expect(throws: POSIXError.self) {
        try pipe.fileHandleForWriting.writeToMedium()
      }
      #expect(unsupported?.code == .EINVAL)
    #endif
  }

  @Test("A lock is released at once, even while a starting program has the file open")
  func lock() throws {
    let folder = try TemporaryFolder()
    let path = try folder.file("file", Data()).path
    let handle = try FileHandle.opening(path, O_RDWR)
    // As a program has it between its start and its first step.
    let started = FileHandle(fileDescriptor: dup(handle.fileDescriptor), closeOnDealloc: true)
    #expect(try handle.takeLock(waiting: false))
    let other = try FileHandle.opening(path, O_RDWR)
    #expect(try !other.takeLock(waiting: false))
    handle.closeWithLock()
    #expect(try other.takeLock(waiting: false))
    withExtendedLifetime(started) {}
  }

  #if os(Linux)
    /// Whether this process has a file open.
    private func isOpen(_ path: String) throws -> Bool {
      let descriptors = "/proc/self/fd"
      return try FileManager.default.contentsOfDirectory(atPath: descriptors).contains { name in
        let link = "\(descriptors)/\(name)"
        return (try? FileManager.default.destinationOfSymbolicLink(atPath: link)) == path
      }
    }

    @Test("A released handle closes its file")
    func released() throws {
      let folder = try TemporaryFolder()
      let path = try folder.file("file", Data()).resolvingSymlinksInPath().path
      var handle: FileHandle? = try FileHandle.opening(path, O_RDWR)
      #expect(try isOpen(path))
      withExtendedLifetime(handle) {}
      handle = nil
      #expect(try !isOpen(path))
    }
  #endif
}
