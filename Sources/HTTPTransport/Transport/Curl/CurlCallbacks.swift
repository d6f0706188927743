#if os(Linux)
  internal import CCurl

  /// The functions that libcurl calls.
  ///
  /// Their context is the `CurlTransfer`, which the loop keeps alive as long as its handle is in
  /// use.
  enum CurlCallbacks {
    static let write: ccurl_data_callback = { bytes, size, count, context in
      let buffer = UnsafeRawBufferPointer(start: bytes, count: size * count)
      return transfer(context)?.take(body: buffer) ?? refusal(of: buffer.count)
    }

    static let header: ccurl_data_callback = { bytes, size, count, context in
      let buffer = UnsafeRawBufferPointer(start: bytes, count: size * count)
      guard let transfer = transfer(context), transfer.take(header: buffer) else {
        return refusal(of: buffer.count)
      }
      return buffer.count
    }

    static let read: ccurl_data_callback = { bytes, size, count, context in
      guard let transfer = transfer(context) else { return Int(CCURL_READFUNC_ABORT) }
      return transfer.give(into: UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
    }

    /// The origin is always the start of the body.
    static let seek: ccurl_seek_callback = { context, offset, _ in
      transfer(context)?.rewind(to: offset) == true
        ? Int32(CCURL_SEEKFUNC_OK) : Int32(CCURL_SEEKFUNC_FAIL)
    }

    static let prereq: ccurl_prereq_callback = { context, remoteAddress, _, remotePort, localPort in
      let place = CurlConnections.Place(
        localPort: localPort, remotePort: remotePort,
        remoteAddress: remoteAddress.map { String(cString: $0) })
      return transfer(context)?.begin(at: place) == true
        ? Int32(CCURL_PREREQFUNC_OK) : Int32(CCURL_PREREQFUNC_ABORT)
    }

    static let socket: ccurl_socket_callback = { context, socket, _ in
      ccurl_close_on_exec(socket)
      transfer(context)?.route.note(socket: socket)
      return Int32(CCURL_SOCKOPT_OK)
    }

    static let lookup: ccurl_lookup_callback = { _, _, context in
      transfer(context)?.timestamps.noteLookup()
      return 0
    }

    static let tls: ccurl_tls_callback = { _, tlsContext, context in
      if let tlsContext { transfer(context)?.watchEnd(of: tlsContext) }
      return 0
    }

    static let debug: ccurl_debug_callback = { _, kind, bytes, count, context in
      let buffer = UnsafeRawBufferPointer(start: bytes, count: count)
      switch UInt32(bitPattern: kind) {
      case UInt32(CCURLINFO_HEADER_IN): transfer(context)?.watch(buffer)
      case UInt32(CCURLINFO_DATA_IN): transfer(context)?.watch(body: buffer)
      case UInt32(CCURLINFO_TEXT): transfer(context)?.note(words: buffer)
      default: break
      }
      return 0
    }

    static let progress: ccurl_progress_callback = { context, _, _, _, _ in
      transfer(context)?.isToEnd() == true ? 1 : 0
    }

    /// Any number other than the byte count ends the transfer.
    static func refusal(of count: Int) -> Int { count == 0 ? 1 : 0 }

    private static func transfer(_ context: UnsafeMutableRawPointer?) -> CurlTransfer? {
      context.map { Unmanaged<CurlTransfer>.fromOpaque($0).takeUnretainedValue() }
    }
  }
#endif
