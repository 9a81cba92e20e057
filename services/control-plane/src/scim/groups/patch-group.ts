import { checkJson } from '@model-gateway/shared';
import { z } from 'zod';
import type { AttributePath, Filter } from '../filter/parse-filter.ts';
import type { PatchOperation } from '../patch-request.ts';
import { invalidPath, invalidValue, ScimError } from '../scim-error.ts';
import { groupName, MAX_MEMBERS, memberIds } from './group-attributes.ts';

/** Operation on the members of a group. */
export type MemberChange =
  | { op: 'add' | 'remove' | 'replace'; ids: readonly string[] }
  | { op: 'clear' }
  /** Removes the members that the filter in the path selects. */
  | { op: 'filter'; where: Filter };

export interface GroupChange {
  displayName?: string;
  /** Null: removed. */
  externalId?: string | null;
  members: MemberChange[];
}

const externalId = z.string().max(255);

/** Reads a PATCH of a group. Ignores attributes that the gateway does not store. @throws ScimError 400 */
export function groupChangeOf(operations: readonly PatchOperation[]): GroupChange {
  const change: GroupChange = { members: [] };
  for (const { path, value, op } of operations) {
    switch (path.attribute) {
      case 'displayname':
        requireWhole(path);
        if (op === 'remove') throw new ScimError(400, 'displayName cannot be removed', 'mutability');
        change.displayName = groupName(value);
        break;
      case 'externalid':
        requireWhole(path);
        change.externalId = op === 'remove' || value === null ? null : externalIdOf(value);
        break;
      case 'members':
        change.members.push(memberChange(path, op, value));
        break;
    }
  }
  const count = change.members.reduce((sum, each) => sum + ('ids' in each ? each.ids.length : 0), 0);
  if (count > MAX_MEMBERS) throw new ScimError(413, `a request changes at most ${MAX_MEMBERS} members`);
  return change;
}

/**
 * Converts an operation on `members`. Entra ID removes members with a list of values; others use
 * members[value eq "…"]. A `remove` without either removes all of them.
 */
function memberChange(path: AttributePath, op: PatchOperation['op'], value: unknown): MemberChange {
  if (path.sub !== undefined) throw invalidPath('members are changed as a whole');
  if (op !== 'remove') {
    if (path.where !== undefined) throw invalidPath('members are added by a list of values');
    return { op, ids: memberIds(value) };
  }
  if (path.where !== undefined) return { op: 'filter', where: path.where };
  return value === undefined || value === null ? { op: 'clear' } : { op, ids: memberIds(value) };
}

function requireWhole({ attribute, sub, where }: AttributePath): void {
  if (sub !== undefined || where !== undefined) throw invalidPath(`${attribute} has no parts`);
}

function externalIdOf(value: unknown): string {
  const parsed = checkJson(externalId, value);
  if (parsed.success) return parsed.data;
  throw invalidValue('externalId is a text of at most 255 characters');
}
