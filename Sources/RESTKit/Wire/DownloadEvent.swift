/// A step of a download.
public enum DownloadEvent: Sendable {
  /// So much of the file is on the disk, what an earlier download left included.
  ///
  /// A download that has to begin anew counts from zero again.
  case progress(TransferProgress)
  /// The file is whole and in its place: the last value.
  case finished(ResponseHead)
}
