import { formatUsd } from '@model-gateway/shared';
import { z } from 'zod';

const notForAccounts = 'Absent for keys that are bound to an account.';

/** Members beside `cost_usd` that only operators get. */
export const marginMembers = {
  charged_usd: z.string().optional().describe(`What the payer is charged. ${notForAccounts}`),
  margin_usd: z
    .string()
    .optional()
    .describe(`\`charged_usd\` − \`cost_usd\`; below 0 is a loss. ${notForAccounts}`),
};

/** Returns charge, cost and margin for operators. @param cost what providers charge, in nano-USD */
export function moneyResponse(charged: bigint, cost: bigint) {
  return {
    cost_usd: formatUsd(cost),
    charged_usd: formatUsd(charged),
    margin_usd: formatUsd(charged - cost),
  };
}
