/**
 * Silence as MP3 and AAC: the same frame again and again. It takes no encoder, plays in any player, and lasts
 * as long as the speech would.
 */

/** MPEG-1 layer III, 32 kbit/s, 44.1 kHz, one channel. No side information and no data is silence. */
const MP3_FRAME = Buffer.concat([Buffer.from('fffb10c0', 'hex'), Buffer.alloc(100)]);
const MP3_FRAME_SECONDS = 1152 / 44_100;

/** ADTS header (AAC-LC, 44.1 kHz, one channel, 13 bytes in all), then an empty raw data block. */
const AAC_FRAME = Buffer.from('fff1504001bffc00c800802380', 'hex');
const AAC_FRAME_SECONDS = 1024 / 44_100;

export function silentMp3(seconds: number): Buffer {
  return repeat(MP3_FRAME, seconds / MP3_FRAME_SECONDS);
}

export function silentAac(seconds: number): Buffer {
  return repeat(AAC_FRAME, seconds / AAC_FRAME_SECONDS);
}

function repeat(frame: Buffer, times: number): Buffer {
  const count = Math.max(1, Math.round(times));
  return Buffer.alloc(count * frame.length, frame);
}
