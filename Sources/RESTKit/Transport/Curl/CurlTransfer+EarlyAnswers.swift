#if os(Linux)
  /// libcurl ends a transfer only when both directions have ended.
  ///
  /// A server may answer before it has read the whole body, and may then read no more (RFC 9112 §9.5). Or the
  /// source of the body may give no more. The time limit ends such a transfer, but its answer is complete.
  extension CurlTransfer {
    /// The answer to a body that was not sent to its end, if the answer is complete; otherwise nil.
    var earlyAnswer: EngineResponse? {
      guard reader != nil, !isReceivingPaused, !response.isHeld,
        response.hasAnnouncedBytes || chunks?.isWhole == true, response.faultAtEnd == nil
      else { return nil }
      return response.response(timings: timings)
    }

    /// Returns the result of a call whose server was silent for too long.
    func resultOfSilence() -> Result<EngineResponse, TransportError> {
      response.tellChunk()
      if let earlyAnswer { return .success(earlyAnswer) }
      return .failure(
        TransportError(
          kind: .timedOut, detail: "the server was silent for too long",
          mayHaveBeenProcessed: mayHaveBeenProcessed, statusCode: response.statusCode))
    }
  }
#endif
