import type { AudioCodec, EncodedPacket } from 'mediabunny';
import { flacSeconds } from './flac-seconds.ts';

type Seconds = (packet: EncodedPacket) => number;
type Config = Pick<AudioDecoderConfig, 'sampleRate' | 'numberOfChannels' | 'description'>;

/** 320 kbit/s: MP3 has no more, and no encoder needs more for a recording. */
const MAX_LOSSY_BYTES_PER_SECOND = 40_000;
/** Stereo at 96 kHz and 24 bits. */
const MAX_LOSSLESS_BYTES_PER_SECOND = 576_000;

const AAC_SAMPLES = 1_024;
const AAC_HERTZ = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
];
const MPEG_HERTZ = [44_100, 48_000, 32_000];
const SILK_MS = [10, 20, 40, 60];
const HYBRID_MS = [10, 20];
const CELT_MS = [2.5, 5, 10, 20];

/** Returns the highest sensible rate of a codec's packets. */
export function maxBytesPerSecond(codec: AudioCodec): number {
  return sampleBytes(codec) > 0 || codec === 'flac'
    ? MAX_LOSSLESS_BYTES_PER_SECOND
    : MAX_LOSSY_BYTES_PER_SECOND;
}

/**
 * Returns a function that computes how long a packet plays from its bytes, as decoders do: the times of a
 * container can be forged. Packets of codecs that do not say it count as 0 s.
 */
export function packetSecondsOf(codec: AudioCodec, config: Config, isOgg: boolean): Seconds {
  const seconds = secondsOf(codec, config, isOgg);
  // A forged sample rate may be negative.
  return (packet) => Math.max(0, seconds(packet));
}

function secondsOf(codec: AudioCodec, config: Config, isOgg: boolean): Seconds {
  const frameBytes = sampleBytes(codec) * config.numberOfChannels;
  if (frameBytes > 0) return ({ byteLength }) => byteLength / frameBytes / config.sampleRate;
  if (codec === 'opus') return ({ data }) => opusSeconds(data);
  if (codec === 'mp3') return ({ data }) => mpegSeconds(data);
  if (codec === 'flac') return ({ data }) => flacSeconds(data);
  if (codec === 'aac') {
    const hertz = configuredHertz(config.description);
    return ({ data }) => (hertz === undefined ? adtsSeconds(data) : AAC_SAMPLES / hertz);
  }
  // In Ogg the library adds up block sizes; elsewhere it believes the container.
  if (codec === 'vorbis' && isOgg) return ({ duration }) => duration;
  return () => 0;
}

/** Returns the bytes of a sample of one channel; 0: not PCM. */
function sampleBytes(codec: AudioCodec): number {
  if (codec === 'ulaw' || codec === 'alaw') return 1;
  const [, bits] = /^pcm-[sfu](\d+)/.exec(codec) ?? [];
  return bits === undefined ? 0 : Number(bits) / 8;
}

/** Reads the first bytes of an Opus packet (RFC 6716, section 3). */
function opusSeconds([toc = 0, count = 0]: Uint8Array): number {
  const config = toc >> 3;
  const frameMs =
    config < 12 ? SILK_MS[config & 3] : config < 16 ? HYBRID_MS[config & 1] : CELT_MS[config & 3];
  const frames = (toc & 3) === 0 ? 1 : (toc & 3) < 3 ? 2 : count & 0x3f;
  return ((frameMs ?? 0) * frames) / 1_000;
}

/** Reads the header of an MPEG audio frame: MPEG-1, 2 and 2.5, layers I to III. */
function mpegSeconds([, second = 0, third = 0]: Uint8Array): number {
  const version = (second >> 3) & 3;
  const layer = 4 - ((second >> 1) & 3);
  const hertz = (MPEG_HERTZ[(third >> 2) & 3] ?? 0) / (version === 3 ? 1 : version === 2 ? 2 : 4);
  const samples = layer === 1 ? 384 : layer === 3 && version !== 3 ? 576 : 1_152;
  return samples / hertz;
}

/** Reads the header of an AAC frame in ADTS. */
function adtsSeconds([first, second = 0, third = 0, , , , seventh = 0]: Uint8Array): number {
  const isAdts = first === 0xff && (second & 0xf6) === 0xf0;
  const hertz = AAC_HERTZ[(third >> 2) & 0x0f];
  return isAdts && hertz !== undefined ? (AAC_SAMPLES * ((seventh & 3) + 1)) / hertz : 0;
}

/** Reads the sample rate of an AudioSpecificConfig (ISO 14496-3). @returns undefined without one */
function configuredHertz(description: Config['description']): number | undefined {
  if (description === undefined) return undefined;
  const bytes = ArrayBuffer.isView(description)
    ? Buffer.from(description.buffer, description.byteOffset, description.byteLength)
    : Buffer.from(description);
  const bits = BigInt(`0x0${bytes.subarray(0, 8).toString('hex').padEnd(16, '0')}`);
  const take = (at: bigint, count: bigint) => Number((bits >> (64n - at - count)) & ((1n << count) - 1n));
  // An object type of 31 is continued in six more bits; an index of 15 is followed by the rate itself.
  const at = take(0n, 5n) === 31 ? 11n : 5n;
  const index = take(at, 4n);
  return index === 15 ? take(at + 4n, 24n) : (AAC_HERTZ[index] ?? 0);
}
