import type { RulesServiceHandlers } from '@model-gateway/contracts';
import type { RulesReport } from '@model-gateway/shared/rules';
import type { ControlPlaneContext } from '../context.ts';
import { getRules, setRules } from '../rules/set-rules.ts';
import { change, read } from './unary.ts';

export function rulesService(context: ControlPlaneContext): RulesServiceHandlers {
  return {
    GetRules: read(context, 'GetRules', async (_, { owner }) => rulesMessage(await getRules(context, owner))),
    SetRules: change(context, 'SetRules', 'operator_token', async (actor, request) =>
      setRulesMessage(await setRules(context, actor, request)),
    ),
  };
}

export function rulesMessage(report: RulesReport) {
  return { reportJson: JSON.stringify(report) };
}

export function setRulesMessage({ report, unconfirmed }: { report: RulesReport; unconfirmed: string[] }) {
  return { rules: rulesMessage(report), unconfirmedInstances: unconfirmed };
}
