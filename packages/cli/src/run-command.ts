import { ControlPlaneClient } from '@model-gateway/contracts';
import type { Command } from 'commander';
import { z } from 'zod';
import { CommandFailure } from './command-failure.ts';
import { type ConnectionSettings, connectionSettings } from './connection-settings.ts';
import { describeCallFailure } from './describe-call-failure.ts';
import type { Io } from './io.ts';
import { readDevelopmentFile } from './read-development-file.ts';

/** For every call; a revocation may take 4 s to be confirmed. */
export const CALL_DEADLINE_MS = 10_000;

/** Stands on standard error, where no script reads it, beside headings that have no rows below them. */
const NOTHING_LISTED = 'none';

export interface CommandResult {
  /** The one value that `--json` prints. */
  json: unknown;
  /** What people see on standard output instead: whole lines. */
  text: string;
  /** What people should know besides, on standard error: lines, without the last line break. */
  note?: string;
  /** The work was done, and what it found is bad: exit code 1. */
  failed?: boolean;
}

/** What a list prints, page by page: however long it is, no more than a page is held. */
export interface ListResult<Row> {
  pages: AsyncIterable<Row[]>;
  /** The rows of a page as people see them: whole lines. */
  table: (rows: readonly Row[], options: { isContinued: boolean }) => string;
}

/** Connects as the global options say, does the work, prints its result, disconnects. */
export type RunCommand = <Row>(
  work: (
    client: ControlPlaneClient,
    settings: ConnectionSettings,
  ) => Promise<CommandResult | ListResult<Row>>,
) => Promise<void>;

const globalOptions = z.object({
  controlPlane: z.string().optional(),
  adminToken: z.string().optional(),
  json: z.boolean().default(false),
  dataDir: z.string().optional(),
});

/** Reads the global options only when a command runs, so that `program` may still be unparsed here. */
export function createRunCommand(program: Command, io: Io): RunCommand {
  return async (work) => {
    const flags = globalOptions.parse(program.opts());
    const dataDir = flags.dataDir ?? (io.environment.GATEWAY_DATA_DIR || io.defaultDataDir);
    const settings = connectionSettings(flags, io.environment, await readDevelopmentFile(dataDir));
    const client = new ControlPlaneClient({
      addresses: settings.addresses,
      token: settings.adminToken,
      tls: settings.tls,
    });
    try {
      const result = await work(client, settings);
      if ('pages' in result) return await printList(result, flags.json, io);
      const { json, text, note, failed = false } = result;
      if (flags.json) io.writeOut(`${JSON.stringify(json, null, 2)}\n`);
      else io.writeOut(text);
      const said = note ?? (Array.isArray(json) && json.length === 0 ? NOTHING_LISTED : undefined);
      if (said !== undefined && !flags.json) io.writeError(`${said}\n`);
      // Everything is said.
      if (failed) throw new CommandFailure([]);
    } catch (error) {
      const lines = describeCallFailure(error, settings.addresses);
      throw lines === undefined ? error : new CommandFailure(lines, { cause: error });
    } finally {
      client.close();
    }
  };
}

/** With `--json` one array, as JSON.stringify would write all of it. */
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
