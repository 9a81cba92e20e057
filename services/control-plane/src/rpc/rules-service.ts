import type { RulesServiceHandlers } from '@model-gateway/contracts';
import type { RulesReport } from '@model-gateway/shared/rules';
import type { ControlPlaneContext } from '../context.ts';
import { keyMessage } from '../keys/key-message.ts';
import type { StoredKey } from '../keys/stored-key.ts';
import type { changeKey } from '../owned-rules/change-key.ts';
import { reportRules } from '../owned-rules/report-rules.ts';
import { rulesOwnerOfKey } from '../owned-rules/rules-owner.ts';
import { getRules, setRules } from '../owned-rules/set-rules.ts';
import type { MethodsOf } from './grpc-handlers.ts';
import { change, read } from './unary.ts';

export function rulesService(context: ControlPlaneContext): MethodsOf<RulesServiceHandlers> {
  return {
    GetRules: read(context, 'GetRules', async (_, { owner }) => rulesMessage(await getRules(context, owner))),
    SetRules: change(context, 'SetRules', 'operator', async (actor, request) =>
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

export function changedKeyMessage({ key, ...set }: Awaited<ReturnType<typeof changeKey>>) {
  return { key: keyMessage(key), ...setRulesMessage(set) };
}

/** Returns a key that was just created, with its rules if the request had any. */
export async function newKeyMessage(
  context: ControlPlaneContext,
  { hasRules, key, rawKey }: { hasRules: boolean; key: StoredKey; rawKey: string },
) {
  const rules = hasRules && rulesMessage(await reportRules(context, await rulesOwnerOfKey(context, key)));
  return { key: keyMessage(key), rawKey, ...(rules && { rules }) };
}
