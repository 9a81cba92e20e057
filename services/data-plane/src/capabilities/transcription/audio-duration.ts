import { PassThrough, type Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ByteWalker } from './audio/byte-walk.ts';
import { anyFormat } from './audio/format-of.ts';
import { PlayingTime } from './audio/playing-time.ts';

/** Where the container does not tell: a usual rate of compressed speech. Flagged as an estimate. */
const BYTES_PER_SECOND = 16_000;

/** No recording has more: stereo of 192 kHz and 32 bits. A container that says so does not tell the truth. */
const MOST_BYTES_PER_SECOND = 1_536_000;
/** Encoders put a little silence before and after what they were given, and containers leave it out. */
const PADDING_SECONDS = 0.25;
const PADDING_SHARE = 0.02;
/** Others are served between two pieces of a file that is all there. */
const PIECE_BYTES = 256 * 1024;

/** Whole milliseconds, rounded up; not for the noise of a floating-point number. */
export function wholeMs(seconds: number): number {
  return Math.ceil(Math.round(seconds * 1_000_000) / 1_000);
}

export interface AudioDuration {
  ms: number;
  /** False: the container did not tell, and the size was divided by a usual rate. */
  measured: boolean;
}

interface Claim {
  seconds: number;
  /** Set for samples that are compressed by less than half. */
  bytesPerSecond: number | undefined;
}

/**
 * Measures audio while it passes by: what its container claims (wav, mp3, ogg, flac, m4a, …), and how long
 * its frames play. A claim is the caller's own word, so it counts where it is not less than that.
 */
export class AudioDurationMeter {
  readonly #mimeType: string;
  #bytes = 0;
  readonly #time = new PlayingTime();
  readonly #walker = new ByteWalker(anyFormat(this.#time));
  #walked: Promise<void> = Promise.resolve();
  #claim: Promise<Claim | undefined> = Promise.resolve(undefined);

  constructor(mimeType: string) {
    this.#mimeType = mimeType;
  }

  /** @returns the same bytes; what is measured never holds them up */
  tap(source: Readable | Buffer): Readable | Buffer {
    if (Buffer.isBuffer(source)) {
      this.#bytes = source.length;
      this.#claim = this.#measure(async ({ parseBuffer }) =>
        parseBuffer(source, { mimeType: this.#mimeType }, { duration: isContainer(source) }),
      );
      this.#walked = this.#walk(source);
      return source;
    }
    const copy = new PassThrough();
    source.on('data', (chunk: Buffer) => {
      if (this.#bytes === 0) this.#claim = this.#read(copy, isContainer(chunk));
      this.#bytes += chunk.length;
      this.#walker.push(chunk);
      copy.write(chunk);
    });
    source.once('end', () => copy.end());
    source.once('close', () => copy.end());
    // Listening made it flow; whoever sends it on decides about that.
    source.pause();
    return source;
  }

  #read(copy: PassThrough, isContainer: boolean): Promise<Claim | undefined> {
    return this.#measure(async ({ parseStream }) =>
      parseStream(copy, { mimeType: this.#mimeType }, { duration: isContainer }),
    ).finally(() => {
      // Bytes that the parser does not need would only pile up.
      copy.resume();
    });
  }

  async duration(): Promise<AudioDuration> {
    await this.#walked;
    const claim = await this.#claim;
    const seconds = this.#believed(claim);
    if (seconds !== undefined && seconds * MOST_BYTES_PER_SECOND >= this.#bytes) {
      return { ms: wholeMs(seconds), measured: true };
    }
    return { ms: wholeMs(this.#bytes / BYTES_PER_SECOND), measured: false };
  }

  /** @returns undefined: neither the claim nor the frames tell */
  #believed(claim: Claim | undefined): number | undefined {
    const played = this.#time.of(this.#bytes);
    if (played !== undefined) {
      const least = played - Math.max(PADDING_SECONDS, played * PADDING_SHARE);
      return claim !== undefined && claim.seconds >= least ? claim.seconds : played;
    }
    if (this.#time.isLost) return undefined;
    // A container whose frames nobody has counted here: by its own rate, or else by a usual one.
    const least = this.#bytes / (claim?.bytesPerSecond ?? BYTES_PER_SECOND);
    return claim !== undefined && claim.seconds >= least * (1 - PADDING_SHARE) ? claim.seconds : undefined;
  }

  async #walk(file: Buffer): Promise<void> {
    for (let at = 0; at < file.length; at += PIECE_BYTES) {
      if (at > 0) await nextTurn();
      this.#walker.push(file.subarray(at, at + PIECE_BYTES));
    }
  }

  async #measure(
    parse: (library: typeof import('music-metadata')) => Promise<{ format: ClaimedFormat }>,
  ): Promise<Claim | undefined> {
    try {
      // Loaded with the first audio: it knows many containers, and most processes never see one.
      const { format } = await parse(await import('music-metadata'));
      const { bitsPerSample, duration, lossless, numberOfChannels, sampleRate } = format;
      if (duration === undefined || !Number.isFinite(duration) || duration <= 0) return undefined;
      const rate = ((bitsPerSample ?? 0) * (numberOfChannels ?? 0) * (sampleRate ?? 0)) / 8;
      return { seconds: duration, bytesPerSecond: lossless === true && rate > 0 ? rate : undefined };
    } catch {
      return undefined;
    }
  }
}

/**
 * Returns true if the claim may stand at the far end of a file. Of bare frames it stands at the beginning, or
 * nowhere, and the library would take a minute for what is counted here in a second.
 */
function isContainer(beginning: Buffer): boolean {
  return /^(RIFF|OggS|fLaC|.E\xdf\xa3|....ftyp)/s.test(beginning.toString('latin1', 0, 8));
}

interface ClaimedFormat {
  duration?: number;
  lossless?: boolean;
  bitsPerSample?: number;
  numberOfChannels?: number;
  sampleRate?: number;
}
