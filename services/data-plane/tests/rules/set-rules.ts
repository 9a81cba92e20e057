import { rulesReport } from '@model-gateway/shared/rules';
import type { TestGateway } from '@model-gateway/test-kit';

/** Sets rules as gatewayctl does. @returns the budgets of the owner */
export async function setRules(
  { admin }: Pick<TestGateway, 'admin'>,
  owner: { kind: string; id: string; endUser?: string },
  rules: unknown,
) {
  const request = { owner, rulesJson: JSON.stringify(rules) };
  const answer = await admin.call(30_000, 'rules', 'setRules', request);
  if (answer.unconfirmedInstances.length > 0) throw new Error('a data plane has not confirmed the rules');
  return rulesReport.parse(JSON.parse(answer.rules?.reportJson ?? '')).budgets;
}
