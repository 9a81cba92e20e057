import { perUnit, priceOf, UNPRICED_TIER, unitColumnsOf, unpricedUnits } from '@model-gateway/shared';
import type { DescribedCredential } from '../credentials/describe-credentials.ts';
import type { RefusedCredential } from '../provider-reports/provider-report-store.ts';
import type { HealthToSend } from '../status/health-message.ts';
import { type AttentionItem, consolePages } from './attention-item.ts';
import type { AttentionStore } from './attention-store.ts';

type Row<Name extends 'troubledDataPlanes' | 'unpricedUnits' | 'failingWebhooks'> = Awaited<
  ReturnType<AttentionStore[Name]>
>[number];

export function describeProvider(health: HealthToSend['providers'][number]): AttentionItem[] {
  const { id, sentence, since, state, status } = health;
  if (status === 'operational' || sentence === undefined || sentence === null) return [];
  const isDown = status === 'major_outage' || status === 'partial_outage';
  return [
    {
      kind: 'provider_failing',
      severity: isDown && state !== 'failed_when_last_asked' ? 'critical' : 'warning',
      object: { type: 'provider', id, name: id },
      since: since === undefined ? null : new Date(since * 1_000),
      sentence: `Provider ${id}: ${sentence}`,
      next: {
        text: 'See which models fail and why, and whether they have a fallback.',
        page: consolePages.provider(id),
        command: null,
      },
    },
  ];
}

/** Describes each refused credential once, since the first refusal on a data plane. */
export function describeRefused(refused: readonly RefusedCredential[]): AttentionItem[] {
  const byCredential = Map.groupBy(refused, ({ model, providerId, variable }) =>
    JSON.stringify([providerId, variable, model]),
  );
  return [...byCredential.values()].flatMap((reports) => {
    const [first] = reports.toSorted((a, b) => (a.since < b.since ? -1 : 1));
    return first === undefined ? [] : [describeRefusal(first)];
  });
}

function describeRefusal({
  httpStatus,
  model,
  providerId,
  since,
  variable,
}: RefusedCredential): AttentionItem {
  const name = variable === '' ? 'the identity of data planes' : variable;
  const forWhat = model === '' ? 'requests with it fail' : `requests for ${model} fail`;
  return {
    kind: 'credential_refused',
    severity: model === '' ? 'critical' : 'warning',
    object: { type: 'credential', id: [providerId, variable, model].join('/'), name },
    since: new Date(since),
    sentence: `Provider ${providerId} refuses ${name} (${httpStatus ?? 'no status'}): ${forWhat}.`,
    next: {
      text: 'Check the key in the account at the provider, and store a valid one.',
      page: consolePages.provider(providerId),
      command: variable === '' ? null : `gatewayctl credentials set ${variable}`,
    },
  };
}

/**
 * Describes a credential that some data planes lack, or all of them although requests used its provider:
 * providers of the catalog that were never set up need no attention.
 */
export function describeMissing(
  { missingIn, providerConfiguration, providerId, setIn, unknownIn, variable }: DescribedCredential,
  used: ReadonlySet<string>,
): AttentionItem[] {
  const isOnSome = setIn > 0 && missingIn > 0;
  const isLost =
    setIn === 0 && missingIn > 0 && used.has(providerId) && providerConfiguration !== 'configured';
  if (!isOnSome && !isLost) return [];
  const where = isOnSome
    ? `${missingIn} of ${setIn + missingIn + unknownIn} data planes lack`
    : 'No data plane has';
  return [
    {
      kind: 'credential_missing',
      severity: isOnSome ? 'warning' : 'critical',
      object: { type: 'credential', id: `${providerId}/${variable}`, name: variable },
      since: null,
      sentence: `${where} ${variable}, a credential of provider ${providerId}.`,
      next: {
        text: 'Store the key: all data planes get it within a second.',
        page: consolePages.provider(providerId),
        command: `gatewayctl credentials set ${variable}`,
      },
    },
  ];
}

export function describeDataPlane({ id, isLost, since }: Row<'troubledDataPlanes'>): AttentionItem {
  const common = { object: { type: 'data_plane', id, name: id }, since };
  if (isLost)
    return {
      ...common,
      kind: 'data_plane_lost',
      severity: 'warning',
      sentence: `Data plane ${id} is lost: its process was killed, or it cannot reach a control plane.`,
      next: {
        text: 'Read its log, check its network, and start it again if it has ended.',
        page: consolePages.fleet,
        command: 'gatewayctl status',
      },
    };
  return {
    ...common,
    kind: 'data_plane_behind',
    severity: 'warning',
    sentence: `Data plane ${id} is behind: it has not applied the latest changes of keys.`,
    next: {
      text: 'Check its processor and its connection.',
      page: consolePages.fleet,
      command: 'gatewayctl status',
    },
  };
}

export function describeSumsBehind(since: Date): AttentionItem {
  return {
    kind: 'sums_behind',
    severity: 'warning',
    object: { type: 'installation', id: 'usage', name: 'usage sums' },
    since,
    sentence: 'Control planes do not sum up usage: this page and the usage pages are out of date or slow.',
    next: {
      text: 'Look for "cannot sum up usage" in the logs of the control planes.',
      page: consolePages.fleet,
      command: null,
    },
  };
}

export function describeLedger({ since, total }: { since: Date | null; total: number }): AttentionItem {
  return {
    kind: 'ledger_mismatch',
    severity: 'critical',
    object: { type: 'installation', id: 'ledger', name: 'ledger' },
    since,
    sentence: `${total} ${total === 1 ? 'sum' : 'sums'} of money in the ledger ${total === 1 ? 'does' : 'do'} not add up.`,
    next: {
      text: 'Verify the ledger again, and see which sums differ.',
      page: consolePages.fleet,
      command: 'gatewayctl verify-ledger',
    },
  };
}

/** @param id model and unit */
function modelAndUnit(id: string): { model: string; unit: string } {
  const [model = '', unit = ''] = id.split(' ');
  return { model, unit };
}

/** Returns false once the model has a price for the unit. A service tier is shown as long as it is used. */
export function isUnpriced({ id, pricing }: Row<'unpricedUnits'>): boolean {
  const { unit } = modelAndUnit(id);
  if (unit === UNPRICED_TIER) return true;
  const units = perUnit('unit', ({ column }) => (column === unit ? 1 : 0));
  return unitColumnsOf(unpricedUnits(units, priceOf(pricing))).length > 0;
}

export function describeUnpriced({ id, since }: Row<'unpricedUnits'>): AttentionItem {
  const { model, unit } = modelAndUnit(id);
  return {
    kind: 'unpriced_unit',
    severity: 'warning',
    object: { type: 'model', id: model, name: model },
    since,
    sentence: `Model ${model} has no price for ${unit === UNPRICED_TIER ? 'a service tier' : unit.replaceAll('_', ' ')}, which requests used.`,
    next: { text: 'Add the price to the catalog.', page: consolePages.model(model), command: null },
  };
}

export function describeWebhook({
  accountId,
  id,
  isDisabled,
  since,
  url,
}: Row<'failingWebhooks'>): AttentionItem {
  // A mailto: URL has no host.
  const receiver = new URL(url).host || url;
  const ofWhom = accountId === null ? 'of the installation' : `of account ${accountId}`;
  return {
    kind: 'webhook_failing',
    severity: accountId === null ? 'warning' : 'notice',
    object: { type: 'webhook', id, name: receiver },
    since,
    sentence: isDisabled
      ? `Webhook ${id} ${ofWhom} is disabled: ${receiver} answered 410 (gone).`
      : `Webhook ${id} ${ofWhom} fails: ${receiver} does not accept its events.`,
    next: {
      text: isDisabled ? 'Give it another URL, or remove it.' : 'See its last attempts, and test it.',
      page: consolePages.webhook(id),
      command: `gatewayctl webhooks show ${id}`,
    },
  };
}
