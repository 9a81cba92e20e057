import type { FailureKind } from '@model-gateway/dialects';
import { ERROR_CODES, type Next, type Verdict } from '../../packages/shared/src/index.ts';
import { billingReason } from '../../services/data-plane/src/settlement/settled-request-of.ts';
import { markdownTable } from './markdown-table.ts';

const HEADING = [
  'failure',
  'your error',
  'fault of',
  'tried next',
  'counts for the breaker as',
  'outcome in the log',
  '`billing_reason`',
];

const ASKED: Record<Next, string> = {
  credential: 'another credential',
  renewed: 'the same with a new credential',
  upstream: 'another upstream',
  same: 'the same once more',
  model: 'another model',
};
const COUNTED: Record<NonNullable<Verdict['breaker']>, string> = { failed: 'failure', answered: 'success' };

export function failureTable(kinds: Readonly<Record<string, FailureKind>>): string {
  const rows = Object.values(kinds).flatMap(({ when, code, blame, next, breaker, outcome, isUnasked }) => {
    if (when === undefined || code === undefined) return [];
    return [
      [
        when,
        // Rejections are passed on with the provider's own status.
        `${code === 'upstream_rejected' ? '' : `${ERROR_CODES[code].status} `}\`${code}\``,
        blame,
        next.map((asked) => ASKED[asked]).join(', ') || 'nobody',
        breaker === undefined ? 'nothing' : COUNTED[breaker],
        // Without an attempt there is nothing to log or bill.
        isUnasked ? '–' : `\`${outcome}\``,
        isUnasked ? '–' : `\`${billingReason({ outcome, usage: undefined })}\``,
      ],
    ];
  });
  return markdownTable([HEADING, ...rows]);
}
