import { type BillLedger, costOf } from './bill-ledger.ts';
import { formatFemto } from './price-table.ts';
import { SERVED_UNITS } from './served-work.ts';

const MS_DIGITS = 3;

export const REQUEST_COLUMNS = [
  ...['time', 'request_id', 'client_request_id', 'model', 'credential', 'service_tier', 'state', 'streamed'],
  ...['input_tokens', 'cached_input_tokens', 'cache_write_tokens', 'cache_write_1h_tokens', 'output_tokens'],
  ...['web_search_requests', 'images', 'characters', 'audio_seconds', 'search_units', 'cost_usd'],
];

/** Returns the rows of a list of requests, oldest first. `input_tokens` includes cached tokens. */
export function requestRows(ledger: BillLedger, fromMs?: number, toMs?: number): Record<string, string>[] {
  return ledger.billed(undefined, fromMs, toMs).map((request) => {
    const { units } = request;
    const { cacheWrite = 0, cacheWrite1h = 0, cachedInput = 0, input = 0 } = units;
    const cost = SERVED_UNITS.reduce((sum, unit) => sum + costOf([request], unit), 0n);
    return {
      time: new Date(request.timeMs).toISOString(),
      request_id: request.requestId,
      client_request_id: request.clientRequestId ?? '',
      model: request.model,
      credential: request.keyId ?? '',
      service_tier: request.serviceTier ?? '',
      state: request.state,
      streamed: String(request.isStreamed),
      input_tokens: String(input + cachedInput + cacheWrite + cacheWrite1h),
      cached_input_tokens: String(cachedInput),
      cache_write_tokens: String(cacheWrite),
      cache_write_1h_tokens: String(cacheWrite1h),
      output_tokens: String(units.output ?? 0),
      web_search_requests: String(units.webSearches ?? 0),
      images: String(units.images ?? 0),
      characters: String(units.characters ?? 0),
      audio_seconds: ((units.audioMs ?? 0) / 1_000).toFixed(MS_DIGITS),
      search_units: String(units.searchUnits ?? 0),
      cost_usd: formatFemto(cost),
    };
  });
}
