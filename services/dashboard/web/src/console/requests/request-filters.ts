import type { RequestOf } from '../../../../wire/management.ts';
import { present } from '../../api/present.ts';
import { CAPABILITIES } from '../../pages/models/capability-names.ts';

type Query = NonNullable<RequestOf<'listReceipts'>['query']>;
type Refused = NonNullable<RequestOf<'listRefusedRequests'>['query']>;

/** A field that requests are filtered by; `name` is its parameter in the address. */
export interface FilterField {
  name: string;
  label: string;
  /** Values to choose from; absent: any text. */
  options?: readonly string[];
  placeholder?: string;
  /** The fields of refused requests, which have no attempts, labels or cost. */
  ofRefused?: true;
}

const REASONS = ['completed', 'aborted_partial', 'upstream_failed_free', 'estimated', 'cache_hit'] as const;
/** Parameters of tags are `tag.project=alpha`. */
const TAG = 'tag.';

export const FIELDS: readonly FilterField[] = [
  { name: 'status', label: 'Status', placeholder: '200 or 5xx', ofRefused: true },
  { name: 'model', label: 'Model', ofRefused: true },
  { name: 'provider', label: 'Provider' },
  { name: 'account_id', label: 'Account', placeholder: 'acct_…', ofRefused: true },
  { name: 'team_id', label: 'Team', placeholder: 'team_…' },
  { name: 'seat_id', label: 'Seat', placeholder: 'seat_…', ofRefused: true },
  { name: 'key_id', label: 'Key', placeholder: 'key_…', ofRefused: true },
  { name: 'code', label: 'Error code', placeholder: 'upstream_error', ofRefused: true },
  { name: 'billing_reason', label: 'Billing reason', options: REASONS },
  { name: 'capability', label: 'Capability', options: CAPABILITIES, ofRefused: true },
  { name: 'tag', label: 'Tag', placeholder: 'project=alpha' },
  { name: 'end_user', label: 'End user' },
  { name: 'session', label: 'Session' },
  { name: 'min_cost_usd', label: 'Charged at least ($)', placeholder: '0.25' },
  { name: 'min_duration_ms', label: 'Duration at least (ms)', placeholder: '5000' },
  { name: 'request_id', label: 'Request', placeholder: 'req_…' },
];

/** A filter in the address, as a chip shows it. */
export interface Chip {
  name: string;
  text: string;
}

export function chipsOf(address: URLSearchParams): Chip[] {
  return [...address].flatMap(([name, value]) => {
    if (name.startsWith(TAG)) return [{ name, text: `Tag ${name.slice(TAG.length)}: ${value}` }];
    const field = FIELDS.find((each) => each.name === name);
    return field === undefined ? [] : [{ name, text: `${field.label}: ${value}` }];
  });
}

/** Returns the parameter of a new filter; a problem, if the value is none. */
export function addressOf(
  field: string,
  value: string,
): { name: string; value: string } | { problem: string } {
  const text = value.trim();
  if (text === '') return { problem: 'Enter a value.' };
  if (field === 'status' && !/^[1-5](\d\d|xx)$/.test(text))
    return { problem: 'A status such as 200, or 5xx.' };
  if (field.startsWith('min_') && !/^\d+(\.\d+)?$/.test(text)) return { problem: 'A number such as 0.25.' };
  if (field !== 'tag') return { name: field, value: text };
  const [, tag, wanted] = /^([a-z0-9_.-]{1,64})=(.+)$/.exec(text) ?? [];
  if (tag === undefined || wanted === undefined) return { problem: 'A tag such as project=alpha.' };
  return { name: `${TAG}${tag}`, value: wanted };
}

/** Spans that end now, in seconds, by their value of `last`. */
export const SPANS: Readonly<Record<string, { label: string; seconds: number }>> = {
  '15m': { label: 'Last 15 minutes', seconds: 900 },
  '1h': { label: 'Last hour', seconds: 3_600 },
  '24h': { label: 'Last 24 hours', seconds: 86_400 },
  '7d': { label: 'Last 7 days', seconds: 7 * 86_400 },
  '30d': { label: 'Last 30 days', seconds: 30 * 86_400 },
};

/** The period of an address: `last`, or `from` and `to` as times with a zone. Undefined: no limit. */
function periodOf(address: URLSearchParams, nowMs: number): Pick<Query, 'start_time' | 'end_time'> {
  const span = SPANS[address.get('last') ?? ''];
  const [start, end] = [timeIn(address, 'from'), timeIn(address, 'to')];
  if (span !== undefined) return { start_time: String(Math.floor(nowMs / 1_000) - span.seconds) };
  return { ...(start !== undefined && { start_time: start }), ...(end !== undefined && { end_time: end }) };
}

function timeIn(address: URLSearchParams, name: string): string | undefined {
  const ms = Date.parse(address.get(name) ?? '');
  return Number.isNaN(ms) ? undefined : String(Math.floor(ms / 1_000));
}

/** Returns the query for the filters of an address. */
export function queryOf(address: URLSearchParams, nowMs: number): Query {
  const text = (name: string) => address.get(name) ?? undefined;
  const list = (name: string) => (address.has(name) ? address.getAll(name) : undefined);
  const tags = Object.fromEntries(
    [...address]
      .filter(([name]) => name.startsWith(TAG))
      .map(([name, value]) => [name.slice(TAG.length), [value]]),
  );
  return {
    ...periodOf(address, nowMs),
    ...present({
      ...{ account_id: text('account_id'), team_id: text('team_id'), seat_id: text('seat_id') },
      ...{ key_id: text('key_id'), request_id: text('request_id'), model: text('model') },
      ...{ provider: text('provider'), status: text('status'), code: text('code') },
      capability: CAPABILITIES.find((each) => each === text('capability')),
      billing_reason: REASONS.find((each) => each === text('billing_reason')),
      min_cost_usd: text('min_cost_usd'),
      min_duration_ms: address.has('min_duration_ms') ? Number(text('min_duration_ms')) : undefined,
      ...{ end_users: list('end_user'), sessions: list('session') },
      tags: Object.keys(tags).length === 0 ? undefined : tags,
    }),
  };
}

/** Returns the filters that refused requests have as well. */
export function refusedQueryOf(query: Query): Refused {
  const { account_id, capability, code, end_time, key_id, model, seat_id, start_time, status } = query;
  return present({ account_id, capability, code, end_time, key_id, model, seat_id, start_time, status });
}
