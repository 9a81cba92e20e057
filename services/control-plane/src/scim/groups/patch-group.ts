import { z } from 'zod';
import type { AttributePath, Filter } from '../filter/parse-filter.ts';
import type { PatchOperation } from '../patch-request.ts';
import { invalidPath, invalidValue, ScimError } from '../scim-error.ts';
import { groupName, MAX_MEMBERS, memberIds } from './group-attributes.ts';

/** Change of a group's members, in order. */
export type MemberChange =
  | { verb: 'add' | 'remove' | 'replace'; ids: readonly string[] }
  | { verb: 'clear' }
  /** Removes the members that the filter in the path selects. */
  | { verb: 'filter'; where: Filter };

export interface GroupChange {
  displayName?: string;
  /** Null: removed. */
  externalId?: string | null;
  members: MemberChange[];
}

const externalId = z.string().max(255);

/** Reads a PATCH of a group. Attributes that are not kept are ignored. @throws ScimError 400 */
export function groupChangeOf(operations: readonly PatchOperation[]): GroupChange {
  const change: GroupChange = { members: [] };
  for (const { path, value, verb } of operations) {
    switch (path.attribute) {
      case 'displayname':
        requireWhole(path);
        if (verb === 'remove') throw new ScimError(400, 'displayName cannot be removed', 'mutability');
        change.displayName = groupName(value);
        break;
      case 'externalid':
        requireWhole(path);
        change.externalId = verb === 'remove' || value === null ? null : externalIdOf(value);
        break;
      case 'members':
        change.members.push(memberChange(path, verb, value));
        break;
    }
  }
  const count = change.members.reduce((sum, each) => sum + ('ids' in each ? each.ids.length : 0), 0);
  if (count > MAX_MEMBERS) throw new ScimError(413, `a request changes at most ${MAX_MEMBERS} members`);
  return change;
}

/**
 * Entra ID removes members with a list of values; others with members[value eq "…"]. A `remove` without
 * either removes them all.
 */
function memberChange(path: AttributePath, verb: PatchOperation['verb'], value: unknown): MemberChange {
  if (path.sub !== undefined) throw invalidPath('members are changed as a whole');
  if (verb !== 'remove') {
    if (path.where !== undefined) throw invalidPath('members are added by a list of values');
    return { verb, ids: memberIds(value) };
  }
  if (path.where !== undefined) return { verb: 'filter', where: path.where };
  return value === undefined || value === null ? { verb: 'clear' } : { verb, ids: memberIds(value) };
}

function requireWhole({ attribute, sub, where }: AttributePath): void {
  if (sub !== undefined || where !== undefined) throw invalidPath(`${attribute} has no parts`);
}

function externalIdOf(value: unknown): string {
  const parsed = externalId.safeParse(value);
  if (parsed.success) return parsed.data;
  throw invalidValue('externalId is a text of at most 255 characters');
}
