import { z } from 'zod';
import { matchFilter } from '../filter/match-filter.ts';
import type { Filter } from '../filter/parse-filter.ts';
import type { PatchOperation } from '../patch-request.ts';
import { invalidPath, invalidValue, ScimError } from '../scim-error.ts';
import { keptAttribute, parseUser, type UserAttributes } from './user-attributes.ts';

type Values = Record<string, unknown>;

const object = z.record(z.string(), z.unknown());
const objects = z.union([z.array(object), object.transform((value) => [value])]);

/**
 * Applies a PATCH to the attributes of a user. Ignores attributes that the gateway does not store.
 * @throws ScimError
 */
export function patchUser(user: UserAttributes, operations: readonly PatchOperation[]): UserAttributes {
  const changed: Values = structuredClone(user);
  for (const operation of operations) {
    const name = keptAttribute(operation.path.attribute);
    if (name === 'emails') changed.emails = patchEmails(listOf(changed.emails), operation);
    else if (name === 'name') changed.name = patchName(object.parse(changed.name), operation);
    else if (name !== undefined) changed[name] = patchSingle(name, operation);
  }
  return parseUser(changed, user.active);
}

function patchSingle(name: string, { path, value, op }: PatchOperation): unknown {
  if (path.sub !== undefined || path.where !== undefined) throw invalidPath(`${name} has no parts`);
  if (op !== 'remove') return value;
  if (name === 'userName' || name === 'active') {
    throw new ScimError(400, `${name} cannot be removed`, 'mutability');
  }
  return undefined;
}

function patchName(name: Values, { path, value, op }: PatchOperation): Values {
  if (path.where !== undefined) throw invalidPath('name has one value');
  if (path.sub === undefined) {
    if (op === 'remove') return {};
    const parts = object.safeParse(value);
    if (!parts.success) throw invalidValue('name is an object');
    return op === 'replace' ? parts.data : { ...name, ...parts.data };
  }
  const part = ['formatted', 'familyName', 'givenName'].find((each) => each.toLowerCase() === path.sub);
  if (part === undefined) return name;
  return { ...name, [part]: op === 'remove' ? undefined : value };
}

function patchEmails(emails: Values[], operation: PatchOperation): Values[] {
  const { path, value, op } = operation;
  if (path.where !== undefined) return patchMatching(emails, path.where, operation);
  if (path.sub !== undefined) return emails.map((each) => withPart(each, operation));
  if (op === 'remove') {
    if (value === undefined || value === null) return [];
    const removed = new Set(listOf(value).map(addressIn));
    return emails.filter((each) => !removed.has(addressIn(each)));
  }
  const given = listOf(value);
  if (op === 'replace') return given;
  const added = new Set(given.map(addressIn));
  return [...emails.filter((each) => !added.has(addressIn(each))), ...given];
}

/** Changes the values that a path such as emails[type eq "work"] selects; makes one where there is none. */
function patchMatching(emails: Values[], where: Filter, operation: PatchOperation): Values[] {
  const { path, value, op } = operation;
  if (op === 'remove' && path.sub === undefined) return emails.filter((each) => !matchFilter(where, each));
  const isWhole = path.sub === undefined;
  const patched = isWhole ? object.safeParse(value) : undefined;
  if (patched?.success === false) throw invalidValue('an e-mail address is an object');
  const change = (each: Values) => (isWhole ? { ...each, ...patched?.data } : withPart(each, operation));
  if (emails.some((each) => matchFilter(where, each))) {
    return emails.map((each) => (matchFilter(where, each) ? change(each) : each));
  }
  if (op === 'remove') return emails;
  if (where.kind !== 'compare' || where.operator !== 'eq') {
    throw new ScimError(400, 'no e-mail address matches the path', 'noTarget');
  }
  return [...emails, change({ [where.path.attribute]: where.value })];
}

function withPart(email: Values, { path, value, op }: PatchOperation): Values {
  return { ...email, [path.sub ?? 'value']: op === 'remove' ? undefined : value };
}

function listOf(value: unknown): Values[] {
  const list = objects.safeParse(value);
  if (list.success) return list.data;
  throw invalidValue('e-mail addresses are objects such as {"type":"work","value":"a@example.com"}');
}

function addressIn({ value }: Values): string {
  return String(value ?? '').toLowerCase();
}
