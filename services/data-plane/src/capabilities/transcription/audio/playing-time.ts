/** The playing time that a walk finds: as decoders see it, not as the container says. */
export class PlayingTime {
  /** How long what was decoded plays. */
  seconds = 0;
  /** The bytes that `seconds` are of, where the walk can lose its way; 0: it has seen all of them. */
  coveredBytes = 0;
  /** The file was made to lead astray: neither what was found nor what it claims is worth anything. */
  isLost = false;
  /** Bytes that are no audio: tags, pictures. */
  otherBytes = 0;
  /** Plain samples that have begun: `bytes` of them, or what there is until the end of the file. */
  plain: { from: number; bytes: number; bytesPerSecond: number } | undefined;

  /** @returns undefined: the walk has not found its way through most of the file */
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
    // Skipped bytes play as long as the rest does, at the stream's own bit rate.
    return (this.seconds * audioBytes) / this.coveredBytes;
  }
}
