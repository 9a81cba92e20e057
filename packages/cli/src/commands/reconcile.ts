import type { ControlPlaneCalls, ProviderMessage } from '@model-gateway/contracts';
import {
  BILL_APIS,
  billApiOf,
  DEFAULT_MILLI_PERCENT,
  fetchBill,
  type Period,
  type ProviderNames,
  parseMilliPercent,
  readAttempts,
  readBills,
  reconcile,
  reportJson,
  type Tolerance,
} from '@model-gateway/reconciliation';
import { DAY_MS, parseUsd, utcDay } from '@model-gateway/shared';
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

export function addReconcile(program: Command, run: RunCommand, io: Pick<Io, 'environment'>): void {
  const command = program.command('reconcile');
  command
    .description(
      "compare a provider's bill with what the gateway recorded, and explain each difference; " +
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
      'id or name of a credential in the bill, such as OPENAI_API_KEY=key_abc; may be repeated; usage of all other ' +
        'credentials then counts as not through the gateway',
      collectCredential,
    )
    .option(
      '--model <billed=name>',
      'name of a model in the bill, and the one that the catalog sends; may be repeated',
      collectPair,
    )
    .option(
      '--tolerance-percent <percent>',
      `accepted difference in percent of the bill (${Number(DEFAULT_MILLI_PERCENT) / 1_000})`,
      parsePercent,
    )
    .option('--tolerance-usd <usd>', 'difference that is accepted in any case (0)', parseAmount)
    .action((options: Options) => {
      const period = { fromMs: options.from, toMs: (options.to ?? options.from) + DAY_MS };
      if (period.toMs <= period.fromMs) command.error('error: --to must not be before --from');
      const { tolerancePercent = DEFAULT_MILLI_PERCENT, toleranceUsd = 0n } = options;
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
      `There is no provider ${providerId} in the catalog. List them: gatewayctl providers list`,
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
  const attempts = readAttempts(
    (request) => client.call(CALL_DEADLINE_MS, 'billing', 'listProviderAttempts', request),
    providerId,
    period,
  );
  const report = await reconcile({ bill, attempts, names, period });
  const json = { provider: providerId, ...dayRange(period), ...reportJson(report, tolerance) };
  return { json, text: reconciliationText(json), failed: json.is_exceeded };
}

function fetchBillOf(
  provider: ProviderMessage | undefined,
  { adminKeyEnv, apiUrl, provider: id }: Options,
  period: Period,
  environment: Io['environment'],
) {
  // With --api-url, a provider of another host is asked as OpenAI.
  const api = provider && (billApiOf(provider) ?? (apiUrl === undefined ? undefined : 'openai'));
  if (api === undefined)
    throw new CommandFailure([
      `Only the bills of OpenAI and Anthropic can be fetched. Pass an export of the bill of ${id}: -f FILE`,
    ]);
  const variable = adminKeyEnv ?? BILL_APIS[api].adminKeyEnv;
  const adminKey = environment[variable];
  if (!adminKey)
    throw new CommandFailure([
      `Set ${variable} to an admin key of the provider's organization, or name another variable with --admin-key-env.`,
    ]);
  return fetchBill(api, { adminKey, ...period, ...(apiUrl === undefined ? {} : { baseUrl: apiUrl }) });
}

/** Reads the models of a provider, which the first page of its attempts has. */
async function readModels(client: ControlPlaneCalls, providerId: string): Promise<ProviderNames['models']> {
  const request = { providerId, startMs: '0', endMs: '1', limit: 1 };
  return (await client.call(CALL_DEADLINE_MS, 'billing', 'listProviderAttempts', request)).models;
}

/** Returns the first and the last day of a period. */
function dayRange({ fromMs, toMs }: Period) {
  return { from: utcDay(fromMs), to: utcDay(toMs - DAY_MS) };
}

/** @returns thousandths of a percent @throws InvalidArgumentError */
function parsePercent(text: string): bigint {
  const milliPercent = parseMilliPercent(text);
  if (milliPercent !== undefined) return milliPercent;
  throw new InvalidArgumentError('It must be a number such as 0.5, with at most three decimals.');
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
