/// A step of a download.
public enum DownloadEvent: Sendable {
  /// The bytes of the file on disk so far, including those of an earlier download.
  ///
  /// A download that has to start again counts from zero.
  case progress(TransferProgress)
  /// The last event: the file is complete and in its place.
  case finished(ResponseHead)
}
