import { type ControlPlaneCalls, ControlPlaneClient, type KnownServer } from '@model-gateway/contracts';
import type { Command } from 'commander';
import { z } from 'zod';
import { CommandFailure } from './command-failure.ts';
import { type ConnectionSettings, connectionSettings } from './connection-settings.ts';
import { describeCallFailure } from './describe-call-failure.ts';
import { describeServer } from './describe-server.ts';
import { HttpControlPlane } from './http/http-control-plane.ts';
import type { Io } from './io.ts';
import { printable } from './output/printable.ts';
import { readConnectionFile } from './read-connection-file.ts';

/** The deadline of every call, for a slow control plane. Confirming a revocation may take 4 s. */
export const CALL_DEADLINE_MS = 30_000;

/** Printed on standard error for an empty list, because headings alone look like a failure. */
const NOTHING_LISTED = 'none';

export interface CommandResult {
  /** The one value that `--json` prints. */
  json: unknown;
  /** Whole lines for standard output, instead of JSON; a function when they need more than the JSON does. */
  text: string | (() => Promise<string>);
  /** A note for standard error: lines, without the last line break. */
  note?: string | undefined;
  /** True when the work was done but has found something bad: exit code 1. */
  failed?: boolean;
}

/** Pages of a list. Only one page is in memory at a time, however long the list is. */
export interface ListResult<Row> {
  pages: AsyncIterable<Row[]>;
  /** The rows of a page as people see them: whole lines. */
  table: (rows: readonly Row[], options: { isContinued: boolean }) => string;
}

/** Lines that are the output as they are, with and without `--json`. */
export interface LinesResult {
  lines: AsyncIterable<string[]>;
}

/** Connects as the global options say, does the work, prints its result, and disconnects. */
export type RunCommand = <Row>(
  work: (
    client: ControlPlaneCalls,
    settings: ConnectionSettings,
  ) => Promise<CommandResult | ListResult<Row> | LinesResult>,
) => Promise<void>;

const globalOptions = z.object({
  controlPlane: z.string().optional(),
  adminToken: z.string().optional(),
  url: z.string().optional(),
  token: z.string().optional(),
  trustOlderServer: z.boolean().default(false),
  verbose: z.boolean().default(false),
  json: z.boolean().default(false),
  dataDir: z.string().optional(),
});

/** Reads the global options only when a command runs, so that `program` may still be unparsed here. */
export function createRunCommand(program: Command, io: Io): RunCommand {
  return async (work) => {
    const flags = globalOptions.parse(program.opts());
    const dataDir = flags.dataDir ?? (io.environment.GATEWAY_DATA_DIR || io.defaultDataDir);
    const token = flags.token === '-' ? (await io.readStdin()).trim() : flags.token;
    const settings = connectionSettings(
      { ...flags, token },
      io.environment,
      await readConnectionFile(dataDir),
    );
    const isNamed = flags.verbose || (io.errorIsTerminal && !flags.json);
    const client = connectTo(settings.server, flags.trustOlderServer, isNamed ? io : undefined);
    try {
      const result = await work(client, settings);
      if ('lines' in result) return await printLines(result, io);
      if ('pages' in result) return await printList(result, flags.json, io);
      const { json, text, note, failed = false } = result;
      if (flags.json) io.writeOut(`${JSON.stringify(json, null, 2)}\n`);
      else io.writeOut(typeof text === 'string' ? text : await text());
      const remark = note ?? (Array.isArray(json) && json.length === 0 ? NOTHING_LISTED : undefined);
      if (remark !== undefined && !flags.json) io.writeError(`${remark}\n`);
      // The printed result is the whole message.
      if (failed) throw new CommandFailure([]);
    } catch (error) {
      const lines = describeCallFailure(error, settings.server);
      throw lines === undefined ? error : new CommandFailure(lines, { cause: error });
    } finally {
      client.close();
    }
  };
}

/** @param names prints which server gets the calls; undefined: it stays unnamed */
function connectTo(
  server: ConnectionSettings['server'],
  trustsOlder: boolean,
  names: Io | undefined,
): ControlPlaneCalls {
  if (server.by === 'http') {
    names?.writeError(`gatewayctl: ${printable(server.url)}\n`);
    return new HttpControlPlane(server);
  }
  return new ControlPlaneClient({
    addresses: server.addresses,
    token: server.adminToken,
    tls: server.tls,
    proof: { trustsOlder, onServer: names && nameServers(names) },
  });
}

/** Prints each server that gets calls, once. */
function nameServers(io: Io): (server: KnownServer) => void {
  const named = new Set<string>();
  return (server) => {
    const line = describeServer(server);
    if (!named.has(line)) io.writeError(`gatewayctl: ${printable(line)}\n`);
    named.add(line);
  };
}

async function printLines({ lines }: LinesResult, io: Io): Promise<void> {
  for await (const page of lines) io.writeOut(page.map((line) => `${line}\n`).join(''));
}

/** Prints a list. With `--json` it is one array, in the form that JSON.stringify would give it. */
async function printList<Row>({ pages, table }: ListResult<Row>, asJson: boolean, io: Io): Promise<void> {
  let count = 0;
  for await (const rows of pages) {
    if (asJson) {
      for (const [index, row] of rows.entries()) {
        const item = JSON.stringify(row, null, 2).replaceAll('\n', '\n  ');
        io.writeOut(`${count + index === 0 ? '[' : ','}\n  ${item}`);
      }
    } else if (rows.length > 0 || count === 0) io.writeOut(table(rows, { isContinued: count > 0 }));
    count += rows.length;
  }
  if (asJson) io.writeOut(count === 0 ? '[]\n' : '\n]\n');
  else if (count === 0) io.writeError(`${NOTHING_LISTED}\n`);
}
