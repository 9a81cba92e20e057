import { z } from 'zod';
import { budgetState, rulesReport } from '../../rules/rules-report.ts';
import { usageSummary } from './usage-response.ts';

/** The response of GET /v1/key (docs/endpoints.md, "GET /v1/key"). */

const unixSeconds = z.int().min(0);

export const keyResponse = z.object({
  object: z.literal('key'),
  id: z.string(),
  name: z.string(),
  prefix: z.string().describe('The first 16 characters of the key.'),
  account_id: z.string(),
  team_id: z.string().nullable().describe('Null: not on a seat of a team.'),
  created: unixSeconds.describe('Unix seconds.'),
  expires_at: unixSeconds.nullable().describe('Unix seconds, by all rules together. Null: never.'),
  rules: rulesReport
    .omit({ from: true, spend: true })
    .describe('Rules of the key itself. `effective`: together with those of its seat, team and account.'),
  budgets: z
    .array(
      budgetState.omit({ on_exceed: true, resets_at: true }).extend({
        resets_at: unixSeconds.nullable().describe('Unix seconds. Null: never.'),
      }),
    )
    .describe('All budgets that a request of the key must fit into, in their current windows.'),
  limits: usageSummary.shape.limits,
  tags: z.record(z.string(), z.string()).describe("Tags of all the key's requests."),
});
export type KeyResponse = z.infer<typeof keyResponse>;
