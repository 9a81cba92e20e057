import type { JsonMember } from './scan-json.ts';

/** New JSON text of a top-level member; undefined removes it. */
export type JsonEdits = Readonly<Record<string, string | undefined>>;

/**
 * Changes members of a JSON object and leaves every other byte as it was sent: numbers keep their digits,
 * and a large body is not built anew. Members that are not there yet are added at the end.
 *
 * @param members what `scanJson` found in `text`
 */
export function editJson(text: string, members: readonly JsonMember[], edits: JsonEdits): string {
  const parts: string[] = [];
  const seen = new Set<string>();
  for (const member of members) {
    if (!Object.hasOwn(edits, member.name)) {
      parts.push(text.slice(member.start, member.end));
      continue;
    }
    seen.add(member.name);
    const value = edits[member.name];
    if (value !== undefined) parts.push(text.slice(member.start, member.valueStart) + value);
  }
  for (const [name, value] of Object.entries(edits)) {
    if (value !== undefined && !seen.has(name)) parts.push(`${JSON.stringify(name)}:${value}`);
  }
  return `{${parts.join(',')}}`;
}
