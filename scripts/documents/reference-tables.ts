import type { FailureKind, FieldRule, FieldRules } from '@model-gateway/dialects';
import {
  ERROR_CODES,
  type Next,
  presetTraits,
  TRAIT_DESCRIPTIONS,
  TRAIT_PRESETS,
  type Verdict,
} from '../../packages/shared/src/index.ts';
import { billingReason } from '../../services/data-plane/src/settlement/settled-request-of.ts';
import { MATRIX_CALLERS } from '../../services/data-plane/tests/matrix/callers.ts';
import { MATRIX_KINDS } from '../../services/data-plane/tests/matrix/kinds.ts';
import { FEATURES, verdictOf } from '../../services/data-plane/tests/matrix/verdicts.ts';
import { markdownTable } from './markdown-table.ts';

const FATES: readonly FieldRule['fate'][] = ['refused', 'ignored', 'carried'];

/** Returns a table of what happens to each field of a translated request. */
export function fieldTable(rules: FieldRules): string {
  const rows = FATES.flatMap((fate) =>
    Object.entries(rules)
      .filter(([, rule]) => rule.fate === fate)
      .map(([name, { note }]) => [`\`${name}\``, fate, note]),
  );
  return markdownTable([['field', 'result', 'sent as, or reason'], ...rows]);
}

/** Returns a table with a row per caller API and feature, and a column per provider kind. */
export function featureMatrix(): string {
  const rows = MATRIX_CALLERS.flatMap((caller) =>
    FEATURES.map((feature) => [
      caller.title,
      feature,
      ...MATRIX_KINDS.map((kind) => verdictOf(caller.title, kind.title, feature)),
    ]),
  );
  return markdownTable([['in', 'what', ...MATRIX_KINDS.map(({ title }) => title)], ...rows]);
}

/** Returns a table of the presets, with the traits in which each differs from `generic`. */
export function presetsTable(): string {
  const rows = Object.entries(TRAIT_PRESETS).map(([name, { hosts, source, traits }]) => [
    `\`${name}\``,
    hosts.map((host) => `\`${host}\``).join(', '),
    Object.entries(traits)
      .map(([trait, value]) => `\`${trait}: ${String(value)}\``)
      .join(', '),
    source,
  ]);
  return markdownTable([['preset', 'default for', 'differs from `generic` in', 'source'], ...rows]);
}

/** Returns a table of the traits, with their values in `generic`. */
export function traitsTable(): string {
  const descriptions: Readonly<Record<string, string>> = TRAIT_DESCRIPTIONS;
  const rows = Object.entries(presetTraits('generic')).map(([name, value]) => [
    `\`${name}\``,
    `\`${JSON.stringify(value)}\``,
    descriptions[name] ?? '',
  ]);
  return markdownTable([['trait', '`generic`', 'meaning'], ...rows]);
}

const FAILURE_HEADING = [
  'failure',
  'your error',
  'fault of',
  'tried next',
  'counts for the breaker as',
  'outcome in the log',
  '`billing_reason`',
];

const NEXT: Record<Next, string> = {
  credential: 'another credential',
  renewed: 'the same with a new credential',
  upstream: 'another upstream',
  same: 'the same once more',
  model: 'another model',
};
const BREAKER: Record<NonNullable<Verdict['breaker']>, string> = {
  failed: 'failure of a payer',
  failed_for_all: 'failure for everyone',
  answered: 'success',
};

/** Returns a table of the failures of providers and their consequences. */
export function failureTable(kinds: Readonly<Record<string, FailureKind>>): string {
  const rows = Object.values(kinds).flatMap(({ when, code, blame, next, breaker, outcome, isUnsent }) => {
    if (when === undefined || code === undefined) return [];
    return [
      [
        when,
        // Rejections are passed on with the provider's own status.
        `${code === 'upstream_rejected' ? '' : `${ERROR_CODES[code].status} `}\`${code}\``,
        blame,
        next.map((each) => NEXT[each]).join(', ') || 'nobody',
        breaker === undefined ? 'nothing' : BREAKER[breaker],
        // Without an attempt there is nothing to log or bill.
        isUnsent ? '–' : `\`${outcome}\``,
        isUnsent ? '–' : `\`${billingReason({ outcome, usage: undefined })}\``,
      ],
    ];
  });
  return markdownTable([FAILURE_HEADING, ...rows]);
}
