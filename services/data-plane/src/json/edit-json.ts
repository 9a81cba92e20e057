import type { JsonMember } from './scan-json.ts';

/** New JSON text of a top-level member; undefined removes it. */
export type JsonEdits = Readonly<Record<string, string | undefined>>;

const CLOSE_BRACE = '}';

/**
 * Changes members of a JSON object and leaves every other byte as it was sent: numbers keep their digits,
 * and a large body is copied once, not built anew. Members that are not there yet are added at the end.
 *
 * @param json an object in UTF-8
 * @param members where its members stand, in bytes
 */
export function editJson(json: Buffer, members: readonly JsonMember[], edits: JsonEdits): Buffer {
  const parts: Buffer[] = [];
  const seen = new Set<string>();
  let copied = 0;
  let keptEnd: number | undefined;
  const replace = (start: number, end: number, text: string) => {
    parts.push(json.subarray(copied, start), Buffer.from(text));
    copied = end;
  };
  for (const [index, { name, start, valueStart, end }] of members.entries()) {
    const isEdited = Object.hasOwn(edits, name);
    const value = edits[name];
    if (isEdited && value === undefined) {
      // With the comma before it, or after it where nothing is kept before.
      replace(keptEnd ?? start, keptEnd === undefined ? (members[index + 1]?.start ?? end) : end, '');
      continue;
    }
    keptEnd = end;
    if (!isEdited || value === undefined) continue;
    seen.add(name);
    replace(valueStart, end, value);
  }
  let added = '';
  for (const [name, value] of Object.entries(edits)) {
    if (value === undefined || seen.has(name)) continue;
    added += `${keptEnd === undefined && added === '' ? '' : ','}${JSON.stringify(name)}:${value}`;
  }
  if (added !== '') {
    const close = json.lastIndexOf(CLOSE_BRACE);
    replace(close, close, added);
  }
  parts.push(json.subarray(copied));
  return Buffer.concat(parts);
}

/** The same members counted in bytes of UTF-8. @param members counted in characters of `text` */
export function membersInBytes(text: string, members: readonly JsonMember[]): JsonMember[] {
  let position = 0;
  let bytes = 0;
  const bytesTo = (next: number) => {
    bytes += Buffer.byteLength(text.slice(position, next));
    position = next;
    return bytes;
  };
  // Evaluated in this order, which is that of the text.
  return members.map(({ name, start, valueStart, end }) => ({
    name,
    start: bytesTo(start),
    valueStart: bytesTo(valueStart),
    end: bytesTo(end),
  }));
}
