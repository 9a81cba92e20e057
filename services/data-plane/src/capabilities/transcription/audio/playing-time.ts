/** The playing time that a walk measures, whatever the container claims. */
export class PlayingTime {
  seconds = 0;
  /** Bytes of the counted frames, for walks that can lose sync; 0: all bytes were seen. */
  coveredBytes = 0;
  /** True for a file made to mislead: do not use the count, nor the duration that the file claims. */
  isLost = false;
  /** Bytes without audio: tags, pictures. */
  otherBytes = 0;
  /** The current run of uncompressed samples: `bytes` of them, or up to the end of the file. */
  plain: { from: number; bytes: number; bytesPerSecond: number } | undefined;

  /** Returns the duration of a file; undefined if the walk understood less than half of it. */
  of(fileBytes: number): number | undefined {
    if (this.isLost) return undefined;
    if (this.plain !== undefined) {
      const { from, bytes, bytesPerSecond } = this.plain;
      return this.seconds + Math.max(0, Math.min(bytes, fileBytes - from)) / bytesPerSecond;
    }
    if (this.seconds === 0) return undefined;
    if (this.coveredBytes === 0) return this.seconds;
    const audioBytes = fileBytes - this.otherBytes;
    if (this.coveredBytes * 2 < audioBytes) return undefined;
    // Extrapolate skipped bytes at the stream's own bit rate.
    return (this.seconds * audioBytes) / this.coveredBytes;
  }
}
