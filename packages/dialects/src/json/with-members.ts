import { type JsonMember, scanJson } from './scan-json.ts';

type Members = Readonly<Record<string, unknown>>;

/** New values of existing members, as JSON. Missing members are not added. */
export type NewMembers = ReadonlyMap<string, string>;

/**
 * Replaces top-level members of a JSON object, and leaves every other byte unchanged.
 * @param text a JSON object; `value`: its parsed value
 * @returns newly serialized JSON if the text is not allowed in a request
 */
export function withMembers(text: string, value: Members, edits: NewMembers): string {
  const found = membersOf(text);
  return found === undefined ? JSON.stringify(applyEdits(value, edits)) : spliced(text, found, edits);
}

/** Does the same in the object `inner`, the member `within`. */
export function withMembersOf(
  text: string,
  value: Members,
  { within, inner }: { within: string; inner: Members },
  edits: NewMembers,
): string {
  // The last of several members with one name counts, as in every JSON parser.
  const place = membersOf(text)?.findLast(({ name }) => name === within);
  if (place === undefined) return JSON.stringify({ ...value, [within]: applyEdits(inner, edits) });
  const { end, valueStart } = place;
  return text.slice(0, valueStart) + withMembers(text.slice(valueStart, end), inner, edits) + text.slice(end);
}

export function applyEdits(value: Members, edits: NewMembers): Members {
  const known = [...edits].filter(([name]) => Object.hasOwn(value, name));
  return { ...value, ...Object.fromEntries(known.map(([name, json]) => [name, JSON.parse(json)])) };
}

function spliced(text: string, members: readonly JsonMember[], edits: NewMembers): string {
  let result = text;
  for (const { end, name, valueStart } of members.toReversed()) {
    const json = edits.get(name);
    if (json !== undefined) result = result.slice(0, valueStart) + json + result.slice(end);
  }
  return result;
}

/** @returns undefined for JSON that is not allowed in requests, such as with the key `__proto__` */
function membersOf(text: string): JsonMember[] | undefined {
  try {
    return scanJson(text);
  } catch {
    return undefined;
  }
}
