import { checkJson } from '@model-gateway/shared';
import { z } from 'zod';
import { invalidValue, ScimError } from '../scim-error.ts';

/** Maximum of members. It bounds requests, transactions and responses. */
export const MAX_MEMBERS = 20_000;

const member = z.union([z.string(), z.object({ value: z.string() }).transform(({ value }) => value)]);
const members = z.union([z.array(member), member.transform((id) => [id])]);
const name = z.string().trim().min(1).max(255);

export interface GroupAttributes {
  displayName: string;
  externalId: string | undefined;
  /** Ids of users. Undefined: the request does not name members. */
  members: readonly string[] | undefined;
}

const groupBody = z.object({
  displayName: z.unknown(),
  externalId: z
    .string()
    .max(255)
    .nullish()
    .transform((value) => value ?? undefined),
  members: z.unknown().optional(),
});

/** Checks the body of a group. @throws ScimError 400, 413 */
export function parseGroup(body: unknown): GroupAttributes {
  const parsed = checkJson(groupBody, body);
  if (!parsed.success) throw invalidValue('expected a group with a displayName');
  const { displayName, externalId, members: given } = parsed.data;
  return {
    displayName: groupName(displayName),
    externalId,
    members: given === undefined || given === null ? undefined : memberIds(given),
  };
}

/** @throws ScimError 400 invalidValue */
export function groupName(value: unknown): string {
  const parsed = checkJson(name, value);
  if (parsed.success) return parsed.data;
  throw invalidValue('displayName is a text of 1 to 255 characters');
}

/** Reads the ids of members: a list of objects with `value`, or one of them. @throws ScimError 400, 413 */
export function memberIds(value: unknown): readonly string[] {
  const parsed = checkJson(members, value);
  if (!parsed.success) throw invalidValue('members are objects such as {"value":"USER_ID"}');
  const ids = [...new Set(parsed.data)];
  if (ids.length > MAX_MEMBERS) throw new ScimError(413, `a group has at most ${MAX_MEMBERS} members`);
  return ids;
}
