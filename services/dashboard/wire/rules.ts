import { rules } from '@model-gateway/shared/rules';
import { z } from 'zod';

// GET /api/rules: a `rulesReport` of packages/shared/src/rules.

/** The query of /api/rules. */
export const rulesOwnerQuery = z.object({
  kind: z.enum(['key', 'seat', 'team', 'account', 'end_users', 'end_user']),
  /** Id of a key, seat or team; the others are of the signed-in account. */
  id: z.string().min(1).max(100).optional(),
  endUser: z.string().min(1).max(128).optional(),
});
export type RulesOwnerQuery = z.infer<typeof rulesOwnerQuery>;

/** The query of POST /api/rules. Rules of the account itself are the operator's. */
export const changedRulesQuery = rulesOwnerQuery.extend({
  kind: rulesOwnerQuery.shape.kind.exclude(['account']),
});

/** POST /api/rules replaces rules; null removes those of a named end user. */
export const saveRulesRequest = z.object({ rules: rules.nullable() });
export type SaveRulesRequest = z.input<typeof saveRulesRequest>;

export const saveRulesResponse = z.object({
  /** The same as for a revoked key. */
  appliedEverywhere: z.boolean(),
});
export type SaveRulesResponse = z.infer<typeof saveRulesResponse>;
