import type { Walk } from './byte-walk.ts';
import { flacFrames } from './flac-frames.ts';
import { mp4Samples } from './mp4-samples.ts';
import { mpegFrames } from './mpeg-frames.ts';
import { oggPackets } from './ogg-packets.ts';
import type { PlayingTime } from './playing-time.ts';
import { waveSamples } from './wave-samples.ts';
import { webmBlocks } from './webm-blocks.ts';

/** Picks the walk by the first bytes, as decoders do: the caller controls the file name and type. */
export function* anyFormat(time: PlayingTime): Walk {
  const head = yield { peek: 16 };
  const text = head.toString('latin1');
  if (/^(RIFF|RF64|BW64)....WAVE/s.test(text)) yield* waveSamples(time);
  else if (text.startsWith('OggS')) yield* oggPackets(time);
  else if (text.startsWith('fLaC')) yield* flacFrames(time);
  else if (text.startsWith('\x1a\x45\xdf\xa3')) yield* webmBlocks(time);
  else if (/^.{4}(ftyp|moov|mdat|free|skip|wide)/s.test(text)) yield* mp4Samples(time);
  else if (text.startsWith('ID3')) yield* afterTag(time, head);
  else yield* mpegFrames(time);
}

/** An ID3 tag may precede FLAC, too. */
function* afterTag(time: PlayingTime, head: Buffer): Walk {
  const size = [6, 7, 8, 9].reduce((sum, at) => sum * 128 + ((head[at] ?? 0) & 0x7f), 0);
  const isNear = size < 1024 * 1024;
  const isFlac = isNear && (yield { peek: size + 14 }).toString('latin1', size + 10) === 'fLaC';
  yield* isFlac ? flacFrames(time) : mpegFrames(time);
}
