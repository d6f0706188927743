#if os(Linux)
  import CCurl
  @testable import HTTPTransport
  @testable import RESTKit

  extension CurlLibrary {
    /// The system's libcurl, which says of itself that it is another release: one that asks before
    /// each request, keeps no freed headers and has words for refused streams, unless told
    /// otherwise.
    ///
    /// What a handle is told when it is to go on is 7, and when it is to wait 8: nothing is under
    /// way.
    static func posing(as version: UInt32 = 0x08_0300) throws -> CurlLibrary {
      let table = UnsafeMutablePointer(mutating: try load().api)
      let copy = UnsafeMutableRawPointer.allocate(
        byteCount: MemoryLayout.size(ofValue: table.pointee),
        alignment: MemoryLayout.alignment(ofValue: table.pointee)
      ).bindMemory(to: type(of: table.pointee), capacity: 1)
      copy.initialize(to: table.pointee)
      copy.pointee.version_number = version
      copy.pointee.easy_pause = { _, bits in bits == 0 ? 7 : 8 }
      // Never freed, as the one that it copies.
      return CurlLibrary(api: UnsafePointer(copy))
    }
  }
#endif
