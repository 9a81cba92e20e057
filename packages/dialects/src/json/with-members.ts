import { type JsonMember, scanJson } from './scan-json.ts';

type Members = Readonly<Record<string, unknown>>;

/** New values of members, as JSON. Members that are not there are not added. */
export type NewMembers = ReadonlyMap<string, string>;

/**
 * Puts new values into members at the top level of a JSON object, wherever they stand, and leaves every other
 * byte as it is.
 * @param text a JSON object; `value`: what it says
 * @returns JSON that was written anew where the text is such as no request may be
 */
export function withMembers(text: string, value: Members, edits: NewMembers): string {
  const found = membersOf(text);
  return found === undefined ? JSON.stringify(edited(value, edits)) : spliced(text, found, edits);
}

/** As `withMembers`, of the object `inner`, which is the member `within`. */
export function withMembersOf(
  text: string,
  value: Members,
  { within, inner }: { within: string; inner: Members },
  edits: NewMembers,
): string {
  // If a name is there several times, the last one counts, as everywhere in JSON.
  const place = membersOf(text)?.findLast(({ name }) => name === within);
  if (place === undefined) return JSON.stringify({ ...value, [within]: edited(inner, edits) });
  const { end, valueStart } = place;
  return text.slice(0, valueStart) + withMembers(text.slice(valueStart, end), inner, edits) + text.slice(end);
}

export function edited(value: Members, edits: NewMembers): Members {
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

/** @returns undefined for what is not accepted in requests, such as the key `__proto__` */
function membersOf(text: string): JsonMember[] | undefined {
  try {
    return scanJson(text);
  } catch {
    return undefined;
  }
}
