import { CALLERS_MODELS, CALLERS_NOTES, CALLERS_SESSION } from '@model-gateway/shared';
import { Chunks } from './chunks.ts';
import type { JsonMember } from './scan-json.ts';

const CLOSE_BRACE = 0x7d;

/** Members that may be edited. Positions of others are dropped, because a body may have very many. */
const EDITABLE = [
  'model',
  CALLERS_MODELS,
  CALLERS_NOTES,
  CALLERS_SESSION,
  'stream_options',
  'usage',
  'previous_response_id',
  'id',
  'input',
  'stream',
  'anthropic_version',
  'anthropic_beta',
  'max_tokens',
] as const;

const EDITABLE_NAMES: ReadonlySet<string> = new Set(EDITABLE);

/** The new JSON of a top-level member, as text or as bytes; undefined removes it. */
export type JsonEdits = Readonly<
  Partial<Record<(typeof EDITABLE)[number], string | readonly Buffer[] | undefined>>
>;

/**
 * Selects the members that {@link editJson} needs: those that may be edited, their neighbours, and the last
 * one. @param members all members of an object, in order
 */
export function editableMembers(members: readonly JsonMember[]): JsonMember[] {
  const isEditable = (member: JsonMember | undefined) =>
    member !== undefined && EDITABLE_NAMES.has(member.name);
  return members.filter(
    (member, index) =>
      index === members.length - 1 ||
      isEditable(member) ||
      isEditable(members[index - 1]) ||
      isEditable(members[index + 1]),
  );
}

/**
 * Changes members of a JSON object, and leaves every other byte as it was sent: numbers keep their digits,
 * and a large body is not copied. Adds new members at the end.
 * @param members all members with their positions in bytes, or only {@link editableMembers}
 * @returns the new object in pieces; most of them are parts of `json`
 */
export function editJson(
  json: readonly Buffer[],
  members: readonly JsonMember[],
  edits: JsonEdits,
): Buffer[] {
  const chunks = new Chunks(json);
  const parts: Buffer[] = [];
  const given: Readonly<Record<string, JsonEdits[keyof JsonEdits]>> = edits;
  let copied = 0;
  let previousEnd: number | undefined;
  const replace = (start: number, end: number, json: string | readonly Buffer[]) => {
    chunks.slice(copied, start, parts);
    if (typeof json !== 'string') parts.push(...json);
    else if (json !== '') parts.push(Buffer.from(json));
    copied = end;
  };
  let next = 0;
  for (const { name, start, valueStart, end } of members) {
    next += 1;
    const isEdited = Object.hasOwn(given, name);
    const value = isEdited ? given[name] : undefined;
    if (isEdited && value === undefined) {
      // Removes a comma, too: the one before, or, where no member is left before it, the one after.
      replace(previousEnd ?? start, previousEnd === undefined ? (members[next]?.start ?? end) : end, '');
      continue;
    }
    previousEnd = end;
    if (value !== undefined) replace(valueStart, end, value);
  }
  let added = '';
  for (const name of Object.keys(given)) {
    const value = given[name];
    if (value === undefined || members.some((member) => member.name === name)) continue;
    const json = typeof value === 'string' ? value : Buffer.concat(value).toString();
    added += `${previousEnd === undefined && added === '' ? '' : ','}${JSON.stringify(name)}:${json}`;
  }
  if (added !== '') {
    const close = chunks.lastIndexOf(CLOSE_BRACE);
    replace(close, close, added);
  }
  chunks.slice(copied, chunks.size, parts);
  return parts;
}

/** Converts the positions of members from characters of `text` to bytes of UTF-8. */
export function membersInBytes(text: string, members: readonly JsonMember[]): JsonMember[] {
  let position = 0;
  let bytes = 0;
  const bytesTo = (next: number) => {
    bytes += Buffer.byteLength(text.slice(position, next));
    position = next;
    return bytes;
  };
  // Ascending order: each conversion continues where the one before it ended.
  return members.map(({ name, start, valueStart, end }) => ({
    name,
    start: bytesTo(start),
    valueStart: bytesTo(valueStart),
    end: bytesTo(end),
  }));
}
