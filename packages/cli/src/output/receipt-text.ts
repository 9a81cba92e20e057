import type { ReceiptMessage, ReceiptPartMessage } from '@model-gateway/contracts';
import { cachedInputShare, nestedPricing } from '@model-gateway/shared';
import { budgetOfWindowId } from '@model-gateway/shared/rules';
import { formatTable } from './format-table.ts';
import { MONEY_HEADER, moneyCells, moneyJson } from './money-json.ts';
import { printable, withId, words } from './printable.ts';
import { receiptMoneyJson, requestJson } from './receipt-summary-table.ts';
import { type UnitsJson, unitsJson, unitsPresent } from './units.ts';
import { shortenUsd, usd } from './usd.ts';

const FIRST_ERROR = 400;
const CLIENT_HAD_LEFT = 499;
const PERCENT = 100;

/** `above_input_tokens` and prices, as in the catalog file. */
type Tier = Record<string, string | number>;

type ReceiptJson = ReturnType<typeof receiptJson>;

/** Without tiers, unpriced units or parts, the members for these are absent. */
export function receiptJson(receipt: ReceiptMessage) {
  const { prices, serviceTiers, tiers } = nestedPricing(receipt.pricing);
  const units = unitsJson(receipt.units);
  return {
    ...requestJson(receipt),
    // Budgets that the request was reserved from.
    rules_checked: receipt.budgets.map((budget) => budgetOfWindowId(budget).budgetId),
    billing_reason: receipt.billingReason,
    // The caller's HTTP status; 499: the caller disconnected before. Null: not known.
    status: receipt.clientStatus ?? null,
    code: receipt.clientErrorCode ?? null,
    units,
    // `provider`, `gateway` or `estimated`, by who counted the units; null when nothing was used.
    usage_source: receipt.usageSource ?? null,
    // Null when the request was free of charge.
    price_version: receipt.priceVersion ?? null,
    // The prices that were charged.
    pricing: prices,
    ...(tiers.length === 0 ? {} : { pricing_tiers: tiers.map(tierJson) }),
    ...(serviceTiers.length === 0 ? {} : { pricing_service_tiers: serviceTiersJson(serviceTiers) }),
    // Absent: the provider's default tier.
    ...(receipt.serviceTier === undefined ? {} : { service_tier: receipt.serviceTier }),
    // Key that kept the conversation at one provider: `session`, `prefix` or `none`; null: older release.
    affinity: receipt.affinity ?? null,
    // The part of the input that came from the provider's cache, 0 to 1; null without input tokens.
    cached_input_share: cachedInputShare(units),
    ...unpricedJson(receipt),
    ...(receipt.parts.length === 0 ? {} : { parts: receipt.parts.map(partJson) }),
    held_usd: usd(receipt.held),
    ...receiptMoneyJson(receipt),
    settled_usd: usd(receipt.charged),
    uncollected_usd: usd(receipt.uncollected),
    pools: receipt.debits.map(({ poolId, name, scope, amount }) => ({
      id: poolId,
      name,
      scope,
      debited_usd: usd(amount),
    })),
    // `status` is the provider's. `credential` names a variable; null: none, or an earlier release.
    attempts: receipt.attempts.map((attempt) => ({
      provider: attempt.providerId,
      model: attempt.modelId ?? receipt.modelId,
      credential: attempt.credentialEnv ?? null,
      status: attempt.httpStatus ?? null,
      code: attempt.errorCode ?? null,
      // The caller may have seen less than the operator.
      error: attempt.operatorError ?? attempt.error ?? null,
      duration_ms: attempt.durationMs,
      // What the provider may bill for a response that was not used; null: nothing.
      estimated_units: attempt.estimatedUnits ? unitsJson(attempt.estimatedUnits) : null,
      estimated_cost_usd: attempt.estimatedCost === undefined ? null : usd(attempt.estimatedCost),
      provider_request_id: attempt.providerRequestId ?? null,
    })),
  };
}

function tierJson({ above_input_tokens, prices }: { above_input_tokens: number; prices: Tier }): Tier {
  return { above_input_tokens, ...prices };
}

function serviceTiersJson(serviceTiers: ReturnType<typeof nestedPricing>['serviceTiers']) {
  const inFile = serviceTiers.map(([tier, { prices, tiers }]) => [
    tier,
    { ...prices, ...(tiers.length === 0 ? {} : { tiers: tiers.map(tierJson) }) },
  ]);
  return Object.fromEntries(inFile);
}

function partJson(part: ReceiptPartMessage) {
  return {
    model: part.modelId,
    price_version: part.priceVersion ?? null,
    units: unitsJson(part.units),
    ...moneyJson(part.cost, part.providerCost),
    ...unpricedJson(part),
  };
}

function unpricedJson({ unpriced }: Pick<ReceiptPartMessage, 'unpriced'>): { unpriced?: string[] } {
  return unpriced.length === 0 ? {} : { unpriced };
}

/** @param nameOf the names of the account, the seat, the team and the key */
export function receiptText(receipt: ReceiptJson, nameOf: (id: string) => string): string {
  const { units, usage_source, pricing_tiers = [], unpriced = [], parts = [] } = receipt;
  const consumed = unitsText(units);
  const facts = formatTable(
    ['request', receipt.request_id],
    [
      ['ended', `${receipt.ended_at}, ${receipt.billing_reason}`],
      ['answered', answered(receipt)],
      ['account', withId(receipt.account_id, nameOf)],
      ...(receipt.seat_id === null
        ? []
        : [['seat', `${withId(receipt.seat_id, nameOf)} of ${withId(receipt.team_id ?? '', nameOf)}`]]),
      ['key', withId(receipt.key_id, nameOf)],
      ['model', `${receipt.model} (${receipt.capability})`],
      ...labelFacts(receipt),
      ['consumed', consumed === '' ? 'nothing' : `${consumed} (counted by: ${usage_source})`],
      ...(receipt.cached_input_share === null ? [] : [['cached', cachedText(receipt.cached_input_share)]]),
      ...(receipt.affinity === null ? [] : [['affinity', receipt.affinity]]),
      [
        'price',
        receipt.price_version === null
          ? 'free'
          : `version ${receipt.price_version}: ${pricesText(receipt.pricing)}`,
      ],
      ...(receipt.price_list_version === null
        ? []
        : [['price list', `version ${receipt.price_list_version}`]]),
      ...pricing_tiers.map(({ above_input_tokens, ...prices }) => [
        'price',
        `above ${above_input_tokens} input tokens: ${pricesText(prices)}`,
      ]),
      ...(receipt.service_tier === null ? [] : [['service tier', receipt.service_tier]]),
      ...(unpriced.length === 0 ? [] : [['unpriced', unpriced.map(words).join(', ')]]),
      ['held', shortenUsd(receipt.held_usd)],
      ['cost', shortenUsd(receipt.cost_usd)],
      ...(Number(receipt.attempts_cost_usd) === 0
        ? []
        : [['unused', `${shortenUsd(receipt.attempts_cost_usd)} for attempts, estimated`]]),
      ['charged', shortenUsd(receipt.charged_usd)],
      ['margin', shortenUsd(receipt.margin_usd)],
      ['settled', shortenUsd(receipt.settled_usd)],
      ['uncollected', shortenUsd(receipt.uncollected_usd)],
    ],
  );
  const pools = formatTable(
    ['POOL', 'NAME', 'OF', 'DEBITED'],
    receipt.pools.map((pool) => [pool.id, pool.name, pool.scope, shortenUsd(pool.debited_usd)]),
  );
  const attempts = formatTable(
    ['PROVIDER', 'MODEL', 'CREDENTIAL', 'ITS STATUS', 'ERROR', 'MS'],
    receipt.attempts.map(({ provider, model, credential, status, code, duration_ms }) => [
      provider,
      model,
      credential ?? '-',
      String(status ?? '-'),
      code ?? '-',
      String(Math.round(duration_ms)),
    ]),
  );
  const models = formatTable(
    ['MODEL', 'CONSUMED', ...MONEY_HEADER],
    parts.map((part) => [part.model, unitsText(part.units), ...moneyCells(part)]),
  );
  return [
    facts,
    ...(parts.length === 0 ? [] : [models]),
    ...(receipt.pools.length === 0 ? [] : [pools]),
    ...(receipt.attempts.length === 0 ? [] : [attempts, ...errorText(receipt)]),
  ].join('\n');
}

/** Returns what the request and its key say it is for, and the budgets that it was reserved from. */
function labelFacts({ end_user, rules_checked, session, tags }: ReceiptJson): string[][] {
  const facts = [
    [
      'tags',
      Object.entries(tags)
        .map(([name, value]) => `${name}=${value}`)
        .join(', '),
    ],
    ['end user', end_user ?? ''],
    ['session', session ?? ''],
    ['budgets', rules_checked.join(', ')],
  ];
  return facts.filter(([, value]) => value !== '');
}

/** Returns a line for each attempt whose failure is explained; an empty list if there is none. */
function errorText({ attempts }: Pick<ReceiptJson, 'attempts'>): string[] {
  const lines = attempts.flatMap(({ error, provider }, index) =>
    error === null ? [] : [`${printable(`attempt ${index + 1}, ${provider}: ${error}`)}\n`],
  );
  return lines.length === 0 ? [] : [lines.join('')];
}

function unitsText(units: UnitsJson): string {
  return unitsPresent(units)
    .map((unit) => `${units[unit]} ${words(unit)}`)
    .join(', ');
}

function cachedText(share: number): string {
  return `${(share * PERCENT).toFixed(1)} % of the input`;
}

function pricesText(prices: Tier): string {
  return Object.entries(prices)
    .map(([name, price]) => `${name} ${price}`)
    .join(', ');
}

/** Describes the response to the caller, which may differ from the provider's. */
function answered({ status, code }: ReceiptJson): string {
  if (status === CLIENT_HAD_LEFT) return 'nothing: the caller had left';
  if (status === null) return code ?? 'not known';
  if (code === null) return String(status);
  return status < FIRST_ERROR ? `${status}, then ${code}` : `${status} ${code}`;
}
