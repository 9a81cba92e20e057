import { PassThrough, type Readable } from 'node:stream';

/** Where the container does not tell: a usual rate of compressed speech. Flagged as an estimate. */
const BYTES_PER_SECOND = 16_000;

/** No recording has more: stereo of 192 kHz and 32 bits. A container that says so does not tell the truth. */
const MOST_BYTES_PER_SECOND = 1_536_000;

/** Whole milliseconds, rounded up; not for the noise of a floating-point number. */
export function wholeMs(seconds: number): number {
  return Math.ceil(Math.round(seconds * 1_000_000) / 1_000);
}

export interface AudioDuration {
  ms: number;
  /** False: the container did not tell, and the size was divided by a usual rate. */
  measured: boolean;
}

/** Measures audio while it passes by, from its container (wav, mp3, ogg, flac, m4a, …). */
export class AudioDurationMeter {
  readonly #mimeType: string;
  #bytes = 0;
  #seconds: Promise<number | undefined> = Promise.resolve(undefined);

  constructor(mimeType: string) {
    this.#mimeType = mimeType;
  }

  /** @returns the same bytes; what is measured never holds them up */
  tap(source: Readable | Buffer): Readable | Buffer {
    if (Buffer.isBuffer(source)) {
      this.#bytes = source.length;
      this.#seconds = this.#measure(async ({ parseBuffer }) =>
        parseBuffer(source, { mimeType: this.#mimeType }, { duration: true }),
      );
      return source;
    }
    const copy = new PassThrough();
    this.#seconds = this.#measure(async ({ parseStream }) =>
      parseStream(copy, { mimeType: this.#mimeType }, { duration: true }),
    ).finally(() => {
      // What the parser does not need any more would only pile up.
      copy.resume();
    });
    source.on('data', (chunk: Buffer) => {
      this.#bytes += chunk.length;
      copy.write(chunk);
    });
    source.once('end', () => copy.end());
    source.once('close', () => copy.end());
    // Listening made it flow; whoever sends it on decides about that.
    source.pause();
    return source;
  }

  async duration(): Promise<AudioDuration> {
    const seconds = await this.#seconds;
    if (seconds !== undefined && seconds * MOST_BYTES_PER_SECOND >= this.#bytes) {
      return { ms: wholeMs(seconds), measured: true };
    }
    return { ms: wholeMs(this.#bytes / BYTES_PER_SECOND), measured: false };
  }

  async #measure(
    parse: (library: typeof import('music-metadata')) => Promise<{ format: { duration?: number } }>,
  ): Promise<number | undefined> {
    try {
      // Loaded with the first audio: it knows many containers, and most processes never see one.
      const { format } = await parse(await import('music-metadata'));
      const { duration } = format;
      return duration !== undefined && Number.isFinite(duration) && duration > 0 ? duration : undefined;
    } catch {
      return undefined;
    }
  }
}
