import { z } from 'zod';
import { optionalTimestamp, timestamp } from '../timestamps.ts';
import type { StoredTeam } from './stored-team.ts';

/** Team as the management API and audit events show it. */
export const teamResourceSchema = z.object({
  object: z.literal('team'),
  id: z.string(),
  /** The account that owns it. */
  account_id: z.string(),
  external_id: z.string().nullable(),
  name: z.string(),
  requests_per_minute: z.int(),
  created_at: timestamp,
  deleted_at: timestamp.nullable(),
});
export type TeamResource = z.infer<typeof teamResourceSchema>;

export function teamResource(team: StoredTeam): TeamResource {
  return {
    object: 'team',
    id: team.id,
    account_id: team.ownerAccountId,
    external_id: team.externalId,
    name: team.name,
    requests_per_minute: team.requestsPerMinute,
    created_at: team.createdAt.toISOString(),
    deleted_at: optionalTimestamp(team.deletedAt),
  };
}
