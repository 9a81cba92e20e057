import { quoted } from '@model-gateway/mail';
import { EVENT_TYPES, type EventData, type EventType, eventData } from '@model-gateway/shared/events';
import { maskedUrl } from '../events/masked-url.ts';

/** An event in words. Names that users chose are quoted, so that no mail program finds a link in them. */
export interface EventText {
  /** Short sentence without a full stop. */
  title: string;
  details?: string[];
  /** The next step; undefined: none. */
  next?: string;
  /** Says where these mails are turned off. */
  off?: string;
}

type Texts = { [Type in EventType]: (data: EventData<Type>) => EventText };

const SCOPES = { account: 'account', end_user: 'end user', key: 'key', seat: 'seat', team: 'team' } as const;
const WINDOWS = { day: 'daily', week: 'weekly', month: 'monthly', total: 'total' } as const;
/** Next step of owners and admins who want to raise a budget, by its scope. */
const RAISES = {
  account: 'ask an operator of the gateway to raise the budget',
  end_user: 'raise the budget on the page “Account”, under “Rules of end users”',
  key: 'raise the budget on the page of the key, under “API keys”',
  seat: 'raise the budget on the page “Teams”',
  team: 'raise the budget on the page “Teams”',
} as const;
const OFF = 'An owner or admin switches these mails off on the page “Account”.';

const TEXTS: Texts = {
  'budget.threshold_reached': (data) => {
    const whose = `${SCOPES[data.scope]} “${quoted(data.scope_name)}”`;
    const budget = `the ${WINDOWS[data.window]} budget of the ${whose}`;
    const isReached = data.threshold === 100;
    const until = data.resets_at === null ? '' : ` until ${data.resets_at}`;
    return {
      title: isReached ? `The budget of the ${whose} is used up` : `${data.threshold} % of a budget is spent`,
      details: [`${data.spent_usd} of ${data.limit_usd} USD of ${budget} are spent.`],
      next:
        data.on_exceed === 'warn'
          ? 'It only warns: requests are not refused.'
          : `${isReached ? 'Requests that need more are refused' : 'At 100 %, requests are refused'}${until}. ` +
            `To allow more, ${RAISES[data.scope]}.`,
      off: OFF,
    };
  },
  'pool.threshold_reached': (data) => {
    const pool = `the pool “${quoted(data.name)}” of the ${SCOPES[data.scope]} “${quoted(data.scope_name)}”`;
    const isReached = data.threshold === 100;
    const until = data.resets_at === null ? '' : ` It is filled again on ${data.resets_at}.`;
    return {
      title: isReached
        ? `The pool “${quoted(data.name)}” is used up`
        : `${data.threshold} % of a pool is used`,
      details: [`${data.used_usd} of ${data.included_usd} USD of ${pool} are used.${until}`],
      next:
        `${isReached ? 'Requests that no pool covers' : 'When no pool has money left, requests'} are refused. ` +
        'To allow more, add money, or move some on the page “Teams”.',
      off: OFF,
    };
  },
  'key.expiring': (data) => ({
    title: `The key “${quoted(data.name)}” expires soon`,
    details: [`${data.prefix}… expires at ${data.expires_at}. Its requests are refused from then on.`],
    next: 'Create a new key and use it instead, or change the expiry.',
  }),
  'key.created': (data) => ({
    title: `The key “${quoted(data.name)}” was created`,
    details: [`${data.prefix}…`],
  }),
  'key.revoked': (data) => ({
    title: `The key “${quoted(data.name)}” was revoked`,
    details: [`${data.prefix}…`],
  }),
  'account.suspended': (data) => ({
    title: `The account ${quoted(data.email)} was suspended`,
    next: `To resume it: gatewayctl accounts resume ${data.id}`,
  }),
  'catalog.applied': (data) => ({
    title: 'The catalog was changed',
    details: [
      `Revision ${data.revision}: models ${data.models.added.count} added, ${data.models.changed.count} changed, ` +
        `${data.models.retired.count} retired.`,
    ],
  }),
  'provider.down': (data) => ({
    title: `The provider ${data.provider} is down`,
    details: [data.description || `Its status is ${data.status} since ${data.since}.`],
    next:
      data.reason === 'credential_refused'
        ? 'Set a valid credential: gatewayctl credentials set NAME. Its name: gatewayctl credentials list.'
        : 'Run gatewayctl status, and read its status page. Models with fallbacks use them meanwhile.',
  }),
  'provider.up': (data) => ({
    title: `The provider ${data.provider} is up again`,
    details: [`It has been operational since ${data.since}.`],
  }),
  'ledger.mismatch': (data) => ({
    title: 'The ledger does not add up',
    details: [`${data.kind} ${data.id}: ${data.problem}.`],
    next: 'Run gatewayctl verify-ledger to see all mismatches. Do not change pools by hand, and keep a backup from before.',
  }),
  'model.unpriced_unit': (data) => ({
    title: `The model ${data.model} has no price for ${data.unit}`,
    details: [
      `The request ${data.request_id} used such units. They are charged at the highest price that can apply, ` +
        'which may be less than what the provider charges.',
    ],
    next: "Add the provider's price to the catalog (docs/catalog-file.md).",
  }),
  'reconciliation.failed': (data) => ({
    title: `The bill of ${data.provider} differs from the records`,
    details: [
      data.difference_usd === null
        ? `The units of ${data.day} differ by more than is accepted.`
        : `${data.day}: the provider bills ${data.provider_usd} USD, the gateway recorded ${data.gateway_usd} USD; ` +
          `${data.unexplained_usd} USD are unexplained.`,
    ],
    next: `Run gatewayctl reconcile --provider ${data.provider} --from ${data.day} to see the causes.`,
  }),
  'request.settled': (data) => ({ title: `The request ${data.request_id} was settled` }),
};

const OTHERS: Readonly<Record<string, (data: Record<string, unknown>) => EventText>> = {
  'webhook.failing': ({ failing_since, reason, url, webhook_id }) => ({
    title: 'A webhook fails',
    details: [
      reason === 'gone'
        ? `${quoted(maskedUrl(String(url)))} answered 410 (gone), so it is disabled.`
        : `${quoted(maskedUrl(String(url)))} has not accepted an event since ${failing_since}.`,
    ],
    next:
      'Read its deliveries and the log of the receiver. Events are sent again for about three days. Later, ' +
      `redeliver them on the page “Webhooks”, or with: gatewayctl webhooks redeliver ${webhook_id} --since TIME`,
  }),
  'webhook.test': () => ({
    title: 'This is a test',
    details: ['Mail works.'],
  }),
};

/** Describes an event for people. Types of a newer release have their name only. */
export function describeEvent({ data, type }: { type: string; data: Record<string, unknown> }): EventText {
  const known = EVENT_TYPES.find((each) => each === type);
  return known === undefined
    ? (OTHERS[type]?.(data) ?? { title: `Event ${type}` })
    : describeKnown(known, data);
}

function describeKnown<Type extends EventType>(type: Type, data: Record<string, unknown>): EventText {
  const parsed = eventData[type].safeParse(data);
  return parsed.success ? TEXTS[type](parsed.data as EventData<Type>) : { title: `Event ${type}` };
}
