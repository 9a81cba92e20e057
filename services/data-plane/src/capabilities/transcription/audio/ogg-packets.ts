import type { Walk } from './byte-walk.ts';
import { opusSeconds } from './opus-packet.ts';
import type { PlayingTime } from './playing-time.ts';

const MAGIC = Buffer.from('OggS');
const HEADER = 27;

interface Stream {
  codec: 'opus' | 'vorbis' | 'other';
  /** Duration of the shortest Vorbis packet. */
  minSeconds: number;
  packets: number;
  isOpen: boolean;
}

/**
 * Sums Opus packets by their own durations, and Vorbis packets at their minimum. Ignores granule positions,
 * which a file can forge.
 */
export function* oggPackets(time: PlayingTime): Walk {
  const streams = new Map<number, Stream>();
  for (;;) {
    yield { find: MAGIC };
    const head = yield { take: HEADER };
    const serial = head.readUInt32LE(14);
    const laces = Buffer.from(yield { take: head.readUInt8(26) });
    const page = yield { take: laces.reduce((sum, lace) => sum + lace, 0) };
    let stream = streams.get(serial);
    if (stream === undefined || (head.readUInt8(5) & 2) !== 0) {
      stream = streamOf(page);
      streams.set(serial, stream);
    }
    for (const packet of packetsOf(page, laces, stream)) {
      // Opus starts with two header packets, Vorbis with three.
      if (stream.codec === 'opus' && stream.packets >= 2) time.seconds += opusSeconds(packet);
      if (stream.codec === 'vorbis' && stream.packets >= 3) time.seconds += stream.minSeconds;
      stream.packets++;
    }
  }
}

function* packetsOf(page: Buffer, laces: Buffer, stream: Stream): Generator<Buffer> {
  let at = 0;
  for (const lace of laces) {
    if (!stream.isOpen) yield page.subarray(at, at + lace);
    at += lace;
    stream.isOpen = lace === 255;
  }
}

function streamOf(firstPage: Buffer): Stream {
  const stream: Stream = { codec: 'other', minSeconds: 0, packets: 0, isOpen: false };
  if (firstPage.toString('latin1', 0, 8) === 'OpusHead') return { ...stream, codec: 'opus' };
  if (firstPage.toString('latin1', 0, 7) !== '\x01vorbis' || firstPage.length < 29) return stream;
  const hertz = firstPage.readUInt32LE(12);
  const shortBlock = 1 << (firstPage.readUInt8(28) & 0x0f);
  return { ...stream, codec: 'vorbis', minSeconds: hertz === 0 ? 0 : shortBlock / 2 / hertz };
}
