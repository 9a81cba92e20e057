import { shortUsd } from '@model-gateway/shared';
import { decodeLevel } from '@model-gateway/shared/payer';
import type { ThresholdOwner } from '../event-checks/threshold-owner-store.ts';
import { type AttentionItem, consolePages } from './attention-item.ts';
import type { LimitAtThreshold } from './attention-store.ts';

const WINDOWS: Record<string, string> = {
  day: 'of the day',
  week: 'of the week',
  month: 'of the month',
  total: 'in total',
};
const OWNER_KINDS: Record<string, string> = {
  end_user: 'end user',
  end_users: 'end users of account',
};

/** Describes a pool or a budget that is used up to 80 % or more. @param owners by owner; none: deleted */
export function describeLimit(
  type: 'pool' | 'budget',
  { id, level, limit, name, owner, since, spent }: LimitAtThreshold,
  owners: ReadonlyMap<string, ThresholdOwner>,
): AttentionItem {
  const of = owners.get(owner);
  const { kind } = decodeLevel(owner);
  const whose = `${OWNER_KINDS[kind] ?? kind} ${of?.ownerName || decodeLevel(owner).id}`;
  const what =
    type === 'pool' ? `Pool ${name || id} of ${whose}` : `Budget ${WINDOWS[name] ?? name} of ${whose}`;
  const isUsedUp = level >= 100;
  const amounts = `$${shortUsd(spent)} of $${shortUsd(limit)}`;
  return {
    kind: type === 'pool' ? 'pool_nearly_used' : 'budget_nearly_used',
    severity: isUsedUp ? 'warning' : 'notice',
    object: { type, id, name: what },
    since,
    sentence: isUsedUp ? `${what} is used up: ${amounts}.` : `${what} is used to 80 % or more: ${amounts}.`,
    next: {
      text: type === 'pool' ? 'Add money, or tell its owner.' : 'Raise the budget, or tell its owner.',
      page: of === undefined ? null : consolePages.account(of.accountId),
      command: type === 'pool' ? `gatewayctl pools change ${id}` : null,
    },
  };
}
