import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  ADTS,
  BufferSource,
  EncodedPacketSink,
  FLAC,
  Input,
  type InputAudioTrack,
  type InputFormat,
  type InputTrack,
  IsobmffInputFormat,
  MATROSKA,
  MatroskaInputFormat,
  MP3,
  MP4,
  OGG,
  OggInputFormat,
  QTFF,
  WAVE,
  WaveInputFormat,
  WEBM,
} from 'mediabunny';
import { hasIntactPages } from './intact-pages.ts';
import { maxBytesPerSecond, packetSecondsOf } from './packet-seconds.ts';
import { hasPlainBoxes } from './plain-boxes.ts';
import { hasSingleFormat } from './single-format.ts';

export interface Measurement {
  /** How long the packets of the longest audio track play, by their codec. */
  seconds: number;
  /** Bytes that no packet explains at a sensible bit rate. They may be audio that the library missed. */
  unplayedBytes: number;
}

/** Not every format of the library: HLS, for one, would fetch the addresses in a playlist. */
const FORMATS = [WAVE, MP3, MP4, QTFF, WEBM, MATROSKA, OGG, FLAC, ADTS];
/** Headers, tags and padding may take half of a file, within these bounds. */
const MIN_HEADER_BYTES = 1024;
const MAX_HEADER_BYTES = 16 * 1024;
/** Bytes that a container adds to each packet. Other formats add none. */
const CONTAINER_BYTES_PER_PACKET = 32;
const CONTAINERS = [IsobmffInputFormat, MatroskaInputFormat, OggInputFormat];
const PACKETS_PER_TURN = 4_096;
/** 10 Mbit/s: a video track explains no more. */
const MAX_VIDEO_BYTES_PER_SECOND = 1_250_000;

/**
 * Measures a recording by its packets, not by what its header claims. Runs in a worker process: a hostile
 * file may take any time and memory.
 * @returns undefined if the format is unknown, or decoders may find another recording in the file
 * @throws whatever a broken file makes the library throw
 */
export async function measureRecording(file: Uint8Array): Promise<Measurement | undefined> {
  const input = new Input({ formats: FORMATS, source: new BufferSource(file) });
  const format = await input.getFormat();
  if (!isUnambiguous(format, file)) return undefined;
  const isOgg = format instanceof OggInputFormat;
  let seconds = 0;
  let playedBytes = 0;
  let packets = 0;
  let videoBytes = 0;
  for (const track of await input.getTracks()) {
    if (track.isAudioTrack()) {
      const played = await playTrack(track, isOgg);
      seconds = Math.max(seconds, played.seconds);
      playedBytes += played.bytes;
      packets += played.packets;
    } else {
      for await (const { byteLength } of packetsOf(track, true)) {
        videoBytes += byteLength;
        packets++;
      }
    }
  }
  const { images = [] } = await input.getMetadataTags();
  const explainedBytes =
    playedBytes +
    Math.min(videoBytes, seconds * MAX_VIDEO_BYTES_PER_SECOND) +
    images.reduce((sum, { data }) => sum + data.length, 0) +
    (CONTAINERS.some((container) => format instanceof container) ? packets * CONTAINER_BYTES_PER_PACKET : 0) +
    Math.min(MAX_HEADER_BYTES, Math.max(MIN_HEADER_BYTES, file.length / 2));
  return { seconds, unplayedBytes: Math.max(0, file.length - explainedBytes) };
}

/** Returns false if decoders may find another recording in the file than the library does. */
function isUnambiguous(format: InputFormat, file: Uint8Array): boolean {
  if (format instanceof OggInputFormat) return hasIntactPages(file);
  if (format instanceof IsobmffInputFormat) return hasPlainBoxes(file);
  return !(format instanceof WaveInputFormat) || hasSingleFormat(file);
}

async function playTrack(track: InputAudioTrack, isOgg: boolean) {
  const config = await track.getDecoderConfig();
  const codec = await track.getCodec();
  const played = { seconds: 0, bytes: 0, packets: 0 };
  if (config === null || codec === null) return played;
  const secondsOf = packetSecondsOf(codec, config, isOgg);
  const maxRate = maxBytesPerSecond(codec);
  for await (const packet of packetsOf(track, false)) {
    const seconds = secondsOf(packet);
    played.seconds += seconds;
    // A packet with more bytes than its codec needs hides something.
    played.bytes += Math.min(packet.byteLength, seconds * maxRate);
    played.packets++;
  }
  return played;
}

async function* packetsOf(track: InputTrack, metadataOnly: boolean) {
  const sink = new EncodedPacketSink(track);
  const options = { metadataOnly };
  let packet = await sink.getFirstPacket(options);
  for (let count = 1; packet !== null; count++) {
    // The library never waits, so the process would not see that its data plane is gone.
    if (count % PACKETS_PER_TURN === 0) await nextTurn();
    yield packet;
    packet = await sink.getNextPacket(packet, options);
  }
}
