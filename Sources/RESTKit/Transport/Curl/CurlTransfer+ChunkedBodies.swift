#if os(Linux)
  internal import CCurl

  /// libcurl passes the bytes of a chunked body to its debug function before it removes their framing.
  extension CurlTransfer {
    /// Runs with each line of a head, after it was taken.
    func beginChunkWatch(behind line: UnsafeRawBufferPointer) {
      guard library.showsChunks, chunks == nil, let first = line.first,
        first == 0x0D || first == 0x0A, response.isChunked
      else { return }
      chunks = ChunkFraming()
      _ = ccurl_set_long(easy, CCURLOPT_VERBOSE, 1)
    }

    /// Runs with the received bytes of the body.
    func watch(body bytes: UnsafeRawBufferPointer) {
      guard response.fault == nil, chunks?.take(bytes) == false else { return }
      response.refuse(ResponseFraming.malformed("its chunks are malformed"))
    }

    func endChunkWatch() {
      guard chunks != nil else { return }
      chunks = nil
      _ = ccurl_set_long(easy, CCURLOPT_VERBOSE, 0)
    }
  }
#endif
