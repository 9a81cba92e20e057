import { crc } from './crc.ts';

/** Opus counts positions at 48 kHz, whatever the sample rate of the audio is. */
const GRANULES_PER_SECOND = 48_000;
const PACKET_GRANULES = 960;
/** 20 ms of silence: CELT, full band, one channel. */
const PACKET = Buffer.from('f8fffe', 'hex');
const PACKETS_PER_PAGE = 50;
const SERIAL_NUMBER = 0x53494d31;
const FIRST_PAGE = 2;
const LAST_PAGE = 4;

/** Silence as Opus in an Ogg container (RFC 3533, RFC 7845). */
export function silentOpus(seconds: number): Buffer {
  const packets = Math.max(1, Math.round((seconds * GRANULES_PER_SECOND) / PACKET_GRANULES));
  const pages = [
    page({ packets: [identification()], granules: 0, number: 0, flags: FIRST_PAGE }),
    page({ packets: [comments()], granules: 0, number: 1, flags: 0 }),
  ];
  for (let sent = 0; sent < packets; sent += PACKETS_PER_PAGE) {
    const count = Math.min(PACKETS_PER_PAGE, packets - sent);
    pages.push(
      page({
        packets: Array.from({ length: count }, () => PACKET),
        granules: (sent + count) * PACKET_GRANULES,
        number: pages.length,
        flags: sent + count === packets ? LAST_PAGE : 0,
      }),
    );
  }
  return Buffer.concat(pages);
}

function identification(): Buffer {
  const packet = Buffer.alloc(19);
  packet.write('OpusHead', 'latin1');
  packet.set([1, 1], 8);
  packet.writeUInt32LE(24_000, 12);
  return packet;
}

function comments(): Buffer {
  const vendor = 'simulated-provider';
  const packet = Buffer.alloc(8 + 4 + vendor.length + 4);
  packet.write('OpusTags', 'latin1');
  packet.writeUInt32LE(vendor.length, 8);
  packet.write(vendor, 12, 'latin1');
  return packet;
}

interface OggPage {
  /** Each packet is shorter than 255 bytes, so that one byte is enough for its length. */
  packets: readonly Buffer[];
  /** The position at the end of the page. */
  granules: number;
  number: number;
  flags: number;
}

function page({ packets, granules, number, flags }: OggPage): Buffer {
  const header = Buffer.alloc(27);
  header.write('OggS', 'latin1');
  header[5] = flags;
  header.writeBigUInt64LE(BigInt(granules), 6);
  header.writeUInt32LE(SERIAL_NUMBER, 14);
  header.writeUInt32LE(number, 18);
  header[26] = packets.length;
  const whole = Buffer.concat([header, Buffer.from(packets.map((packet) => packet.length)), ...packets]);
  // The checksum is computed over the page with zeros in the checksum's place.
  whole.writeUInt32LE(crc(whole, 32, 0x04c11db7), 22);
  return whole;
}
