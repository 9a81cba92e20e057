import { rules } from '@model-gateway/shared/rules';
import { readReport } from '../commands/rules.ts';
import { CALL_DEADLINE_MS } from '../run-command.ts';
import { type ApplyRun, applyDifferences } from './apply-run.ts';
import { compareRules } from './compare-rules.ts';
import type { WantedRules } from './gateway-file.ts';

const NO_RULES = rules.parse({});

/** The owner of rules in the gateway; without an id in a plan that creates it. */
export interface RulesOwner {
  kind: 'account' | 'end_users' | 'key' | 'seat' | 'team';
  id: string | undefined;
}

/** @param object names the rules: `rules of ada@example.com` */
export async function applyRules(
  run: ApplyRun,
  object: string,
  { id, kind }: RulesOwner,
  wanted: WantedRules | undefined,
): Promise<void> {
  if (wanted === undefined) return;
  const owner = { kind, id: id ?? '' };
  const current = id === undefined ? NO_RULES : await ownRules(run, owner);
  await applyDifferences(run, object, compareRules(current, wanted), () =>
    run.client.call(CALL_DEADLINE_MS, 'rules', 'setRules', { owner, rulesJson: JSON.stringify(wanted) }),
  );
}

/** Reads the rules of an owner, without those of the levels above it. */
export async function ownRules(
  { client }: ApplyRun,
  owner: { kind: string; id: string },
): Promise<WantedRules> {
  const report = readReport(await client.call(CALL_DEADLINE_MS, 'rules', 'getRules', { owner }));
  const { effective: _, from: __, spend: ___, ...own } = report;
  // The ids of budgets are the gateway's.
  return rules.parse({ ...own, budgets: own.budgets.map(({ id: _, ...budget }) => budget) });
}
