import type { AccountLimitsMessage, LimitInForceMessage } from '@model-gateway/contracts';
import { formatTable } from './format-table.ts';
import { words } from './printable.ts';

/** The limits in the order in which people see them. */
const NAMES = ['free_per_minute', 'paid_per_minute', 'reads_per_minute', 'streams'] as const;

type Name = (typeof NAMES)[number];

export interface LimitsJson extends Record<Name, number> {
  account_id: string;
  /** The names of the limits for which the account has no own value. */
  defaults: Name[];
}

/** @throws when the answer of the control plane lacks a limit */
export function limitsJson(limits: AccountLimitsMessage | null): LimitsJson {
  if (limits === null) throw new Error('the control plane answered without limits');
  const inForce = {
    free_per_minute: present(limits.freePerMinute),
    paid_per_minute: present(limits.paidPerMinute),
    reads_per_minute: present(limits.readsPerMinute),
    streams: present(limits.concurrentStreams),
  };
  return {
    account_id: limits.accountId,
    free_per_minute: inForce.free_per_minute.value,
    paid_per_minute: inForce.paid_per_minute.value,
    reads_per_minute: inForce.reads_per_minute.value,
    streams: inForce.streams.value,
    defaults: NAMES.filter((name) => inForce[name].isDefault),
  };
}

export function limitsTable(limits: LimitsJson): string {
  return formatTable(
    ['LIMIT OF EACH KEY', 'VALUE', 'SET BY'],
    NAMES.map((name) => [
      words(name),
      String(limits[name]),
      limits.defaults.includes(name) ? 'default' : 'account',
    ]),
  );
}

function present(limit: LimitInForceMessage | null): LimitInForceMessage {
  if (limit === null) throw new Error('the control plane left out a limit');
  return limit;
}
