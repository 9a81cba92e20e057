import { requirePlainJson } from './plain-json.ts';

type QueryValue = string | string[] | Record<string, string | string[]>;

/**
 * Reads the query of a URL. A repeated parameter, or one with `[]`, is a list; `name[member]` is a member of
 * an object, as clients of OpenAI send both.
 * @throws ManagementError 422 unknown_field, 400
 */
export function readQuery(url: string): Record<string, QueryValue> {
  const [, search = ''] = /^[^?]*\?(.*)$/s.exec(url) ?? [];
  const values = new Map<string, string | string[]>();
  const objects = new Map<string, Map<string, string | string[]>>();
  for (const [parameter, value] of new URLSearchParams(search)) {
    const [, name = parameter, member = ''] = /^([^[\]]+)\[([^[\]]*)\](?:\[\])?$/.exec(parameter) ?? [];
    const isList = parameter.endsWith('[]');
    if (member === '') add(values, name, value, isList);
    else {
      const members = objects.get(name) ?? new Map<string, string | string[]>();
      add(members, member, value, isList);
      objects.set(name, members);
    }
  }
  const query = Object.fromEntries<QueryValue>([
    ...values,
    ...[...objects].map(([name, members]) => [name, Object.fromEntries(members)] as const),
  ]);
  requirePlainJson(query, 'query');
  return query;
}

function add(values: Map<string, string | string[]>, name: string, value: string, isList: boolean): void {
  const earlier = values.get(name);
  if (earlier === undefined) values.set(name, isList ? [value] : value);
  else values.set(name, [...(Array.isArray(earlier) ? earlier : [earlier]), value]);
}
