import { jsonPath } from '@model-gateway/shared';
import { nestedTooDeep, unknownField, unusableText } from './errors/request-errors.ts';

type Where = 'request body' | 'query' | 'path';

const MAX_DEPTH = 64;

/**
 * Refuses JSON that would be lost or changed on its way: members called `__proto__`, which schemas drop,
 * texts that Postgres cannot store, and values nested deeper than can be read again.
 * @throws ManagementError 422 unknown_field, 400
 */
export function requirePlainJson(value: unknown, where: Where): void {
  walk(value, where, []);
}

/** @param path of the value; it is used for all of them */
function walk(value: unknown, where: Where, path: (string | number)[]): void {
  if (typeof value === 'string') requireText(value, where, path);
  if (typeof value !== 'object' || value === null) return;
  if (path.length >= MAX_DEPTH) throw nestedTooDeep(MAX_DEPTH, where);
  const isList = Array.isArray(value);
  for (const [name, item] of Object.entries(value)) {
    path.push(isList ? Number(name) : name);
    if (name === '__proto__') throw unknownField(jsonPath(path), where);
    requireText(name, where, path);
    walk(item, where, path);
    path.pop();
  }
}

function requireText(text: string, where: Where, path: readonly (string | number)[]): void {
  if (!text.isWellFormed() || text.includes('\0')) throw unusableText(jsonPath(path).toWellFormed(), where);
}
