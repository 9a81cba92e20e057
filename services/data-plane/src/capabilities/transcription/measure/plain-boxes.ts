/** Boxes of MP4 that hold others, down to the tables of a track. */
const CONTAINERS = new Set(['moov', 'trak', 'edts', 'mdia', 'minf', 'stbl']);
/** Boxes that readers disagree about if their parent has two. */
const SINGLE = new Set(
  'moov edts elst mdia mdhd hdlr minf stbl stsd stts stsc stsz stz2 stco co64'.split(' '),
);
const HEADER = 8;
/** Where the entries of an edit list begin, after its header, and the length of an entry by version. */
const ENTRIES_AT = 8;
const ENTRY_BYTES = [12, 20];
/** An entry with this media time only delays the start. */
const NO_MEDIA = 0xffff_ffff;

/**
 * Returns true unless an MP4 has a box twice that should be there once, or an edit list that plays parts
 * again: the library and decoders would find different recordings.
 */
export function hasPlainBoxes(file: Uint8Array): boolean {
  return isPlain(Buffer.from(file.buffer, file.byteOffset, file.byteLength));
}

function isPlain(parent: Buffer): boolean {
  const seen = new Set<string>();
  for (let at = 0; at + HEADER <= parent.length; ) {
    const name = parent.toString('latin1', at + 4, at + HEADER);
    const size = parent.readUInt32BE(at);
    const isLarge = size === 1 && at + 16 <= parent.length;
    const bodyAt = at + (isLarge ? 16 : HEADER);
    // A size of 0 means "to the end".
    const end =
      size === 0 ? parent.length : at + (isLarge ? Number(parent.readBigUInt64BE(at + HEADER)) : size);
    if (end < bodyAt) return true;
    if (SINGLE.has(name)) {
      if (seen.has(name)) return false;
      seen.add(name);
    }
    const body = parent.subarray(bodyAt, end);
    if (name === 'elst' && playedEdits(body) > 1) return false;
    if (CONTAINERS.has(name) && !isPlain(body)) return false;
    at = end;
  }
  return true;
}

function playedEdits(box: Buffer): number {
  const entryBytes = ENTRY_BYTES[box[0] ?? -1];
  if (box.length < ENTRIES_AT || entryBytes === undefined) return 0;
  const end = Math.min(box.length, ENTRIES_AT + box.readUInt32BE(4) * entryBytes);
  let played = 0;
  for (let at = ENTRIES_AT; at + entryBytes <= end && played < 2; at += entryBytes) {
    if (box.readUInt32BE(at + entryBytes - 8) !== NO_MEDIA) played++;
  }
  return played;
}
