import { stringify } from 'csv-stringify/sync';
import type { Express, Request, RequestHandler, Response } from 'express';
import { ProviderError } from '../errors/provider-error.ts';
import { answerError, type ProviderState } from '../http/serve-exchange.ts';
import { ANTHROPIC } from '../protocols/anthropic.ts';
import { OPENAI } from '../protocols/openai.ts';
import type { Protocol } from '../protocols/protocol.ts';
import { anthropicCosts, anthropicUsage } from './anthropic-reports.ts';
import {
  BILLING_EXPORT_COLUMNS,
  billingExportRows,
  COST_AND_USAGE_COLUMNS,
  costAndUsageParquet,
  costAndUsageRows,
} from './cloud-exports.ts';
import { openAiCosts, openAiUsage } from './openai-reports.ts';
import { REQUEST_COLUMNS, requestRows } from './request-rows.ts';

type Content = string | Promise<Uint8Array>;
type Report = (query: URLSearchParams, req: Request) => object | undefined;

/**
 * Serves bills: OpenAI's and Anthropic's reports at their own paths, and files of other providers below
 * `/simulated/bill/`. All need the admin key. They are not in the log of requests.
 */
export function serveBilling(app: Express, state: ProviderState): void {
  const { ledger } = state;
  const json = (path: string, protocol: Protocol, report: Report) =>
    app.get(path, protect(state, protocol), (req, res) => answer(req, res, protocol, report));
  json('/v1/organization/usage/:kind', OPENAI, (query, req) =>
    openAiUsage(ledger, String(req.params.kind), query),
  );
  json('/v1/organization/costs', OPENAI, (query) => openAiCosts(ledger, query));
  json('/v1/organizations/usage_report/messages', ANTHROPIC, (query) => anthropicUsage(ledger, query));
  json('/v1/organizations/cost_report', ANTHROPIC, (query) => anthropicCosts(ledger, query));

  const file = (name: string, type: string, contentOf: (from?: number, to?: number) => Content) =>
    app.get(`/simulated/bill/${name}`, protect(state, OPENAI), async (req, res) => {
      const { from, to } = timesIn(req);
      res.setHeader('content-type', type);
      res.end(await contentOf(from, to));
    });
  const csv = (rows: Record<string, string>[], columns: string[]) =>
    stringify(rows, { header: true, columns });
  file('cur.csv', 'text/csv', (from, to) => csv(costAndUsageRows(ledger, from, to), COST_AND_USAGE_COLUMNS));
  file('cur.parquet', 'application/vnd.apache.parquet', (from, to) => costAndUsageParquet(ledger, from, to));
  file('google.csv', 'text/csv', (from, to) =>
    csv(billingExportRows(ledger, from, to), BILLING_EXPORT_COLUMNS),
  );
  file('requests.csv', 'text/csv', (from, to) => csv(requestRows(ledger, from, to), REQUEST_COLUMNS));
}

/** Requires the admin key, or a key for requests if there is no admin key. */
function protect({ adminKey, apiKeys, tokens }: ProviderState, protocol: Protocol): RequestHandler {
  return (req, res, next) => {
    try {
      const credential = protocol.credential(req.headers);
      const { method, originalUrl: url } = req;
      const expected = adminKey ?? apiKeys.expectedKey(credential);
      protocol.checkHead(req.headers, expected, { method, url, body: Buffer.alloc(0), tokens });
      next();
    } catch (error) {
      answerError({ fault: {}, protocol, requestId: 'req_billing', res }, error);
    }
  };
}

function answer(req: Request, res: Response, protocol: Protocol, report: Report): void {
  try {
    const { searchParams } = new URL(req.originalUrl, 'http://localhost');
    const page = report(searchParams, req);
    if (page === undefined) throw new ProviderError(404, `Invalid URL (GET ${req.originalUrl})`);
    res.json(page);
  } catch (error) {
    answerError({ fault: {}, protocol, requestId: 'req_billing', res }, error);
  }
}

/** Reads `from` and `to` in Unix milliseconds. Both are optional. */
function timesIn({ query }: Request): { from?: number; to?: number } {
  const { from, to } = query;
  return { ...(from !== undefined && { from: Number(from) }), ...(to !== undefined && { to: Number(to) }) };
}
