import type { ReceiptSummary, RequestOf } from '../../../../wire/management.ts';
import { readList } from '../../api/read-list.ts';
import { csvText } from '../../format/csv-text.ts';

export const MAX_CSV_ROWS = 10_000;

const HEADER = [
  ...['ended_at', 'request_id', 'account_id', 'account_email', 'team_id', 'seat_id', 'key_id', 'key_name'],
  ...['model', 'provider', 'capability', 'status', 'code', 'billing_reason', 'duration_ms'],
  ...[
    'time_to_first_token_ms',
    'input_tokens',
    'output_tokens',
    'cost_usd',
    'charged_usd',
    'margin_usd',
    'attempts_cost_usd',
    'settled_usd',
    'tags',
    'end_user',
  ],
  'session',
];

/** Reads the newest requests that a query finds, at most MAX_CSV_ROWS, as CSV. */
export async function requestsCsv(query: NonNullable<RequestOf<'listReceipts'>['query']>): Promise<string> {
  const rows = await readList('listReceipts', { query }, MAX_CSV_ROWS);
  return csvText([HEADER, ...rows.map(rowOf)]);
}

function rowOf(request: ReceiptSummary) {
  return [
    ...[request.ended_at, request.id, request.account_id, request.account_email, request.team_id],
    ...[request.seat_id, request.key_id, request.key_name, request.model, request.provider],
    ...[request.capability, request.status, request.code, request.billing_reason, request.duration_ms],
    ...[request.time_to_first_token_ms, request.units.input_tokens, request.units.output_tokens],
    ...[request.cost_usd, request.charged_usd ?? request.cost_usd],
    ...[request.margin_usd ?? '0', request.attempts_cost_usd ?? '0', request.settled_usd],
    Object.entries(request.tags)
      .map(([name, value]) => `${name}=${value}`)
      .join(','),
    ...[request.end_user, request.session],
  ];
}
