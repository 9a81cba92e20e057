/** Boxes of MP4 that hold others, down to the tables of a track. */
const CONTAINERS = new Set(['moov', 'trak', 'edts', 'mdia', 'minf', 'stbl']);
/** Boxes that readers disagree about if their parent has two. */
const SINGLE = new Set(
  'moov edts elst mdia mdhd hdlr minf stbl stsd stts stsc stsz stz2 stco co64'.split(' '),
);
const HEADER = 8;
/** Tables of runs of samples, which the library expands into one entry per sample. */
const RUNS = new Set(['stts', 'ctts']);
const RUN_BYTES = 8;
/** Where the entries of a table begin, after its header. */
const ENTRIES_AT = 8;
/** The length of an edit by the version of its list. */
const EDIT_BYTES = [12, 20];
/** An entry with this media time only delays the start. */
const NO_MEDIA = 0xffff_ffff;

/**
 * Returns false for an MP4 that repeats a single box, or whose edit list plays several parts: the library and
 * decoders would find different recordings. Also for one that counts more samples than it has bytes.
 */
export function hasPlainBoxes(file: Uint8Array): boolean {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  return isPlain(bytes, bytes.length);
}

function isPlain(parent: Buffer, maxSamples: number): boolean {
  const seen = new Set<string>();
  for (let at = 0; at + HEADER <= parent.length; ) {
    const name = parent.toString('latin1', at + 4, at + HEADER);
    const size = parent.readUInt32BE(at);
    const isLarge = size === 1 && at + 16 <= parent.length;
    const bodyAt = at + (isLarge ? 16 : HEADER);
    // A size of 0 means "to the end".
    const end =
      size === 0 ? parent.length : at + (isLarge ? Number(parent.readBigUInt64BE(at + HEADER)) : size);
    if (end < bodyAt) return false;
    if (SINGLE.has(name)) {
      if (seen.has(name)) return false;
      seen.add(name);
    }
    const body = parent.subarray(bodyAt, end);
    if (name === 'elst' && playedEdits(body) > 1) return false;
    if (name === 'stsd' && !hasOneFormat(body)) return false;
    if (RUNS.has(name) && countedSamples(body) > maxSamples) return false;
    if (CONTAINERS.has(name) && !isPlain(body, maxSamples)) return false;
    at = end;
  }
  return true;
}

/** A track may have several sample descriptions, and a broken one two configurations of its codec. */
function hasOneFormat(box: Buffer): boolean {
  const isOne = box.length < ENTRIES_AT || box.readUInt32BE(4) <= 1;
  return isOne && box.indexOf('esds') === box.lastIndexOf('esds');
}

function playedEdits(box: Buffer): number {
  const entryBytes = EDIT_BYTES[box[0] ?? -1];
  if (box.length < ENTRIES_AT || entryBytes === undefined) return 0;
  const end = Math.min(box.length, ENTRIES_AT + box.readUInt32BE(4) * entryBytes);
  let played = 0;
  for (let at = ENTRIES_AT; at + entryBytes <= end && played < 2; at += entryBytes) {
    if (box.readUInt32BE(at + entryBytes - 8) !== NO_MEDIA) played++;
  }
  return played;
}

function countedSamples(box: Buffer): number {
  let samples = 0;
  for (let at = ENTRIES_AT; at + RUN_BYTES <= box.length; at += RUN_BYTES) samples += box.readUInt32BE(at);
  return samples;
}
