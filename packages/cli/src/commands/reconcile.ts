import type { ControlPlaneCalls, ProviderMessage } from '@model-gateway/contracts';
import {
  attemptPeriod,
  BILL_APIS,
  billApiOf,
  fetchBill,
  type GatewayAttempt,
  type Period,
  type ProviderNames,
  readAttempt,
  readBills,
  reconcile,
  reportJson,
  type Tolerance,
} from '@model-gateway/reconciliation';
import { parseUsd } from '@model-gateway/shared';
import { type Command, InvalidArgumentError } from 'commander';
import { CommandFailure } from '../command-failure.ts';
import type { Io } from '../io.ts';
import { reconciliationText } from '../output/reconciliation-text.ts';
import { parseDay } from '../parse-day.ts';
import { CALL_DEADLINE_MS, type RunCommand } from '../run-command.ts';

interface Options {
  provider: string;
  /** Beginnings of days, Unix milliseconds. */
  from: number;
  to?: number;
  file?: string[];
  adminKeyEnv?: string;
  apiUrl?: string;
  credential?: Map<string, string>;
  model?: Map<string, string>;
  tolerancePercent?: bigint;
  toleranceUsd?: bigint;
}

const PAGE_LENGTH = 1_000;
const DAY_MS = 86_400_000;
const PERCENT = /^(\d{1,3})(?:\.(\d{1,3}))?$/;
const DEFAULT_PERCENT = '0.5';

export function addReconcile(program: Command, run: RunCommand, io: Pick<Io, 'environment'>): void {
  const command = program.command('reconcile');
  command
    .description(
      "compare a provider's bill with what the gateway recorded, and tell what explains each difference; " +
        'exit code 1 if the differences of all causes together exceed the tolerance',
    )
    .requiredOption('--provider <id>', 'provider of the catalog')
    .requiredOption('--from <day>', 'first day (UTC), such as 2026-11-01', parseDay)
    .option('--to <day>', 'last day, included (the first)', parseDay)
    .option(
      '-f, --file <export>',
      'export of the provider; may be repeated (fetched from the API of OpenAI or Anthropic)',
      collect,
    )
    .option(
      '--admin-key-env <name>',
      'variable with the admin key for that API (OPENAI_ADMIN_KEY, ANTHROPIC_ADMIN_KEY)',
    )
    .option('--api-url <url>', 'URL of that API with its version, such as https://eu.api.openai.com/v1')
    .option(
      '--credential <variable=id>',
      "id or name of a credential in the bill, such as OPENAI_API_KEY=key_abc; may be repeated; then all others' usage did not pass the gateway",
      collectCredential,
    )
    .option(
      '--model <billed=name>',
      'name of a model in the bill, and the one that the catalog sends; may be repeated',
      collectPair,
    )
    .option(
      '--tolerance-percent <percent>',
      `accepted difference in percent of the bill (${DEFAULT_PERCENT})`,
      parsePercent,
    )
    .option('--tolerance-usd <usd>', 'difference that is accepted in any case (0)', parseAmount)
    .action((options: Options) => {
      const period = { fromMs: options.from, toMs: (options.to ?? options.from) + DAY_MS };
      if (period.toMs <= period.fromMs) command.error('error: --to must not be before --from');
      const { tolerancePercent = parsePercent(DEFAULT_PERCENT), toleranceUsd = 0n } = options;
      const tolerance = { milliPercent: tolerancePercent, nanoUsd: toleranceUsd };
      return run((client) => reconcileBill(client, options, period, tolerance, io.environment));
    });
}

async function reconcileBill(
  client: ControlPlaneCalls,
  options: Options,
  period: Period,
  tolerance: Tolerance,
  environment: Io['environment'],
) {
  const { credential: credentials, model: billedModels, provider: providerId } = options;
  const { providers } = await client.call(CALL_DEADLINE_MS, 'catalog', 'getCatalog', {});
  const provider = providers.find(({ id }) => id === providerId);
  if (provider === undefined && options.file === undefined)
    throw new CommandFailure([
      `The catalog has no provider ${providerId}. gatewayctl providers list shows all.`,
    ]);
  const names: ProviderNames = {
    models: await readModels(client, providerId),
    ...(credentials === undefined ? {} : { credentials }),
    ...(billedModels === undefined ? {} : { billedModels }),
  };
  const bill =
    options.file === undefined
      ? fetchBillOf(provider, options, period, environment)
      : readBills(options.file);
  const report = await reconcile({ bill, attempts: readAttempts(client, providerId, period), names, period });
  const json = { provider: providerId, ...dayRange(period), ...reportJson(report, tolerance) };
  return { json, text: reconciliationText(json), failed: json.is_exceeded };
}

function fetchBillOf(
  provider: ProviderMessage | undefined,
  { adminKeyEnv, apiUrl, provider: id }: Options,
  period: Period,
  environment: Io['environment'],
) {
  // Behind another URL is the API that its kind has.
  const api = provider && (billApiOf(provider) ?? (apiUrl === undefined ? undefined : 'openai'));
  if (api === undefined)
    throw new CommandFailure([`The bill of ${id} cannot be fetched. Name an export of it: -f FILE`]);
  const variable = adminKeyEnv ?? BILL_APIS[api].adminKeyEnv;
  const adminKey = environment[variable];
  if (!adminKey)
    throw new CommandFailure([
      `${variable} is not set. It needs an admin key of the provider's organization.`,
    ]);
  return fetchBill(api, { adminKey, ...period, ...(apiUrl === undefined ? {} : { baseUrl: apiUrl }) });
}

async function readModels(client: ControlPlaneCalls, providerId: string): Promise<ProviderNames['models']> {
  const request = { providerId, startMs: '0', endMs: '1', limit: 1 };
  return (await client.call(CALL_DEADLINE_MS, 'billing', 'listProviderAttempts', request)).models;
}

async function* readAttempts(
  client: ControlPlaneCalls,
  providerId: string,
  period: Period,
): AsyncGenerator<GatewayAttempt[]> {
  const { fromMs, toMs } = attemptPeriod(period);
  const request = { providerId, startMs: String(fromMs), endMs: String(toMs), limit: PAGE_LENGTH };
  let place: { pageToken?: string } | undefined = {};
  while (place !== undefined) {
    const page: Awaited<ReturnType<typeof readPage>> = await readPage(client, { ...request, ...place });
    yield page.attempts.map(readAttempt);
    place = page.nextPageToken === undefined ? undefined : { pageToken: page.nextPageToken };
  }
}

function readPage(
  client: ControlPlaneCalls,
  request: { providerId: string; startMs: string; endMs: string; limit: number; pageToken?: string },
) {
  return client.call(CALL_DEADLINE_MS, 'billing', 'listProviderAttempts', request);
}

/** The days of a period, the last one included. */
function dayRange({ fromMs, toMs }: Period) {
  const [from, to] = [fromMs, toMs - DAY_MS].map((timeMs) => new Date(timeMs).toISOString().slice(0, 10));
  return { from: from ?? '', to: to ?? '' };
}

/** @returns thousandths of a percent */
function parsePercent(text: string): bigint {
  const [, whole, decimals = ''] = PERCENT.exec(text) ?? [];
  if (whole === undefined)
    throw new InvalidArgumentError('It must be a number such as 0.5, with at most three decimals.');
  return BigInt(whole) * 1_000n + BigInt(decimals.padEnd(3, '0'));
}

function parseAmount(text: string): bigint {
  const nanoUsd = parseUsd(text);
  if (nanoUsd === undefined) throw new InvalidArgumentError('It must be US dollars such as 1.50.');
  return nanoUsd;
}

function collect(text: string, before: string[] = []): string[] {
  return [...before, text];
}

function collectPair(text: string, before = new Map<string, string>()): Map<string, string> {
  const at = text.lastIndexOf('=');
  if (at < 1 || at === text.length - 1) throw new InvalidArgumentError('It must be NAME=NAME.');
  return new Map([...before, [text.slice(0, at), text.slice(at + 1)]]);
}

/** @returns variables by the provider's ids */
function collectCredential(text: string, before = new Map<string, string>()): Map<string, string> {
  const [[variable = '', id = ''] = []] = collectPair(text);
  return new Map([...before, [id, variable]]);
}
