import { crc } from './crc.ts';

/**
 * Silence in compressed formats, as long as the speech would be. Each file repeats one frame or packet, so it
 * needs no encoder and plays in any player.
 */

/** MPEG-1 layer III, 32 kbit/s, 44.1 kHz, one channel. No side information and no data is silence. */
const MP3_FRAME = Buffer.concat([Buffer.from('fffb10c0', 'hex'), Buffer.alloc(100)]);

export function silentMp3(seconds: number): Buffer {
  return repeat(MP3_FRAME, (seconds * 44_100) / 1_152);
}

/** ADTS header (AAC-LC, 44.1 kHz, one channel, 13 bytes in all), then an empty raw data block. */
const AAC_FRAME = Buffer.from('fff1504001bffc00c800802380', 'hex');

export function silentAac(seconds: number): Buffer {
  return repeat(AAC_FRAME, (seconds * 44_100) / 1_024);
}

function repeat(frame: Buffer, times: number): Buffer {
  return Buffer.alloc(Math.max(1, Math.round(times)) * frame.length, frame);
}

const FLAC_HERTZ = 24_000;
const FLAC_BLOCK_SAMPLES = 4_096;
/** Sync code with blocks of one size; 4096 samples at 24 kHz; one channel of 16 bits. */
const FLAC_FRAME_HEADER = Buffer.from('fff8c708', 'hex');

/** FLAC (RFC 9639), in whole blocks. */
export function silentFlac(seconds: number): Buffer {
  const blocks = Math.max(1, Math.round((seconds * FLAC_HERTZ) / FLAC_BLOCK_SAMPLES));
  // The signature and the one mandatory metadata block. Frame sizes and checksum are 0, for unknown.
  const info = Buffer.alloc(8 + 34);
  info.write('fLaC', 'latin1');
  info.writeUInt32BE(0x80000000 + 34, 4);
  info.writeUInt16BE(FLAC_BLOCK_SAMPLES, 8);
  info.writeUInt16BE(FLAC_BLOCK_SAMPLES, 10);
  // 20 bits sample rate, 3 bits channels - 1, 5 bits bits per sample - 1, 36 bits samples.
  const samples = BigInt(blocks * FLAC_BLOCK_SAMPLES);
  info.writeBigUInt64BE((BigInt(FLAC_HERTZ) << 44n) | (15n << 36n) | samples, 18);
  return Buffer.concat([info, ...Array.from({ length: blocks }, (_, number) => flacFrame(number))]);
}

function flacFrame(number: number): Buffer {
  // Frame numbers are encoded like UTF-8. A constant subframe says that every sample is 0.
  const header = Buffer.concat([FLAC_FRAME_HEADER, Buffer.from(String.fromCodePoint(number))]);
  const frame = Buffer.concat([header, Buffer.from([crc(header, 8, 0x07), 0, 0, 0, 0, 0])]);
  frame.writeUInt16BE(crc(frame.subarray(0, -2), 16, 0x8005), frame.length - 2);
  return frame;
}

/** 20 ms of silence: CELT, full band, one channel. Opus counts positions at 48 kHz. */
const OPUS_PACKET = Buffer.from('f8fffe', 'hex');
const OPUS_PACKET_GRANULES = 960;
const PACKETS_PER_PAGE = 50;

/** Opus in an Ogg container (RFC 3533, RFC 7845). */
export function silentOpus(seconds: number): Buffer {
  const packets = Math.max(1, Math.round((seconds * 48_000) / OPUS_PACKET_GRANULES));
  const head = Buffer.from('OpusHead\x01\x01\0\0\xc0\x5d\0\0\0\0\0', 'latin1');
  const tags = Buffer.from('OpusTags\x12\0\0\0simulated-provider\0\0\0\0', 'latin1');
  const pages = [oggPage([head], 0, 0, 2), oggPage([tags], 0, 1, 0)];
  for (let sent = 0; sent < packets; sent += PACKETS_PER_PAGE) {
    const end = Math.min(sent + PACKETS_PER_PAGE, packets);
    const content = Array.from({ length: end - sent }, () => OPUS_PACKET);
    pages.push(oggPage(content, end * OPUS_PACKET_GRANULES, pages.length, end === packets ? 4 : 0));
  }
  return Buffer.concat(pages);
}

/**
 * @param packets each shorter than 255 bytes, so that one byte is enough for its length
 * @param granules the position at the end of the page
 * @param flags 2 on the first page, 4 on the last
 */
function oggPage(packets: readonly Buffer[], granules: number, number: number, flags: number): Buffer {
  const header = Buffer.alloc(27);
  header.write('OggS', 'latin1');
  header[5] = flags;
  header.writeBigUInt64LE(BigInt(granules), 6);
  header.write('1MIS', 14, 'latin1');
  header.writeUInt32LE(number, 18);
  header[26] = packets.length;
  const page = Buffer.concat([header, Buffer.from(packets.map((packet) => packet.length)), ...packets]);
  // The checksum is computed with zeros in its place.
  page.writeUInt32LE(crc(page, 32, 0x04c11db7), 22);
  return page;
}
