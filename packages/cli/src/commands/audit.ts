import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import { addOptionalAccount, onOptionalAccount } from '../account-argument.ts';
import type { Io } from '../io.ts';
import { auditEventJson, auditTable } from '../output/audit-event.ts';
import { verifiedAuditJson, verifiedAuditText } from '../output/verified-audit.ts';
import { parseTime } from '../parse-time.ts';
import { readAllPages } from '../read-all-pages.ts';
import { readInput } from '../read-input.ts';
import { CALL_DEADLINE_MS, type RunCommand } from '../run-command.ts';
import { loggedHeads } from './logged-heads.ts';

/** The check reads every event. */
const VERIFY_DEADLINE_MS = 600_000;
const MAX_LIMIT = 200;
const PAGE_LENGTH = 50;

export function addAudit(program: Command, run: RunCommand, io: Io): void {
  const audit = program
    .command('audit')
    .description('show who changed what, and check that nobody has changed the record');
  addAuditList(audit, run);
  addAuditVerify(audit, run, io);
  addAuditExport(audit, run);
}

interface ListOptions {
  account?: string;
  action?: string;
  actor?: string;
  object?: string;
  /** Unix seconds. */
  since?: number;
  until?: number;
  limit?: number;
  cursor?: string;
}

function addAuditList(audit: Command, run: RunCommand): void {
  const list = addOptionalAccount(audit.command('list'), 'only events of this account: id or e-mail address')
    .description('list changes, sign-ins and refused attempts, newest first')
    .option('--action <action>', 'only this action, such as api_key.created')
    .option('--actor <actor>', 'only by this actor: id or e-mail address')
    .option('--object <id>', 'only about the object with this id')
    .option('--since <time>', 'date or Unix seconds (the first event)', parseTime)
    .option('--until <time>', 'date or Unix seconds; events before this time (now)', parseTime)
    .option('--limit <n>', `events per page, 1 to ${MAX_LIMIT} (${PAGE_LENGTH})`, parseLimit)
    .option('--cursor <id>', 'id of the last event of the previous page');
  onOptionalAccount(list, (account, options: ListOptions) => {
    const { action, actor, cursor, limit = PAGE_LENGTH, object, since, until } = options;
    const filter = {
      ...(action === undefined ? {} : { action }),
      ...(actor === undefined ? {} : { actor }),
      ...(object === undefined ? {} : { objectId: object }),
      ...(since === undefined ? {} : { sinceMs: since * 1_000 }),
      ...(until === undefined ? {} : { untilMs: until * 1_000 }),
    };
    return run(async (client) => {
      const { events, nextCursor } = await client.call(CALL_DEADLINE_MS, 'audit', 'listAuditEvents', {
        ...{ filter, limit },
        ...(account === undefined ? {} : { account }),
        ...(cursor === undefined ? {} : { cursor }),
      });
      const rows = events.map(auditEventJson);
      const note = nextCursor === undefined ? undefined : `more: --cursor ${nextCursor}`;
      return { json: rows, text: auditTable(rows), note };
    });
  });
}

function addAuditVerify(audit: Command, run: RunCommand, io: Io): void {
  audit
    .command('verify')
    .description(
      'check that no event was changed, inserted, moved or removed; prints the first broken event; ' +
        'exit code 1 if there is one',
    )
    .option(
      '--heads <file>',
      'log of control planes; also finds events that were removed at the end with their traces (- is ' +
        'standard input)',
    )
    .action(({ heads: file }: { heads?: string }) =>
      run(async (client) => {
        const heads = file === undefined ? [] : loggedHeads(await readInput(file, io));
        const answer = await client.call(VERIFY_DEADLINE_MS, 'audit', 'verifyAuditLog', { heads });
        const verified = verifiedAuditJson(answer);
        return { json: verified, text: verifiedAuditText(verified), failed: verified.broken !== null };
      }),
    );
}

function addAuditExport(audit: Command, run: RunCommand): void {
  audit
    .command('export')
    .description('print all events since a time, oldest first, one JSON object per line')
    .requiredOption('--since <time>', 'date or Unix seconds', parseTime)
    .action(({ since }: { since: number }) =>
      run(async (client) => ({
        lines: readAllPages(
          (place) =>
            client.call(CALL_DEADLINE_MS, 'audit', 'exportAuditLog', { sinceMs: since * 1_000, ...place }),
          ({ events }) => events.map((event) => JSON.stringify(auditEventJson(event))),
        ),
      })),
    );
}

function parseLimit(text: string): number {
  const value = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (value >= 1 && value <= MAX_LIMIT) return value;
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${MAX_LIMIT}.`);
}
