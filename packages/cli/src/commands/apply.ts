import type { ControlPlaneCalls } from '@model-gateway/contracts';
import type { Command } from 'commander';
import { applyAccounts } from '../apply/apply-accounts.ts';
import type { ApplyRun, Change } from '../apply/apply-run.ts';
import { changesText, summaryText } from '../apply/changes-text.ts';
import type { GatewayFile } from '../apply/gateway-file.ts';
import { readGatewayFile } from '../apply/read-gateway-file.ts';
import { SecretsFile } from '../apply/secrets-file.ts';
import { CommandFailure } from '../command-failure.ts';
import { type CalledServer, describeCallFailure } from '../describe-call-failure.ts';
import type { Io } from '../io.ts';
import { unconfirmedNote } from '../output/unconfirmed-note.ts';
import { readInput } from '../read-input.ts';
import type { CommandResult, RunCommand } from '../run-command.ts';

interface ApplyOptions {
  file: string;
  dryRun: boolean;
  prune: boolean;
  secretsFile?: string;
  secretsKubernetes?: string;
}

export function addApply(program: Command, run: RunCommand, io: Io): void {
  const apply: Command = program
    .command('apply')
    .description(
      'make accounts, limits, rules, members, pools, keys, teams and webhooks as a file says; ' +
        'what it leaves out stays, and a second run changes nothing',
    )
    .requiredOption('-f, --file <file>', 'YAML or JSON; - reads standard input')
    .option('--dry-run', 'only show the differences from the file, including changes made by hand', false)
    .option('--prune', 'remove what the lists of the file do not name; accounts are never removed', false)
    .option(
      '--secrets-file <file>',
      'where to write the secrets of new keys and webhooks, as JSON with mode 0600',
    )
    .option(
      '--secrets-kubernetes <name>',
      'with --secrets-file: write the manifest of a Kubernetes Secret of this name',
    )
    .action(async (options: ApplyOptions) => {
      const { file, secretsFile: path, secretsKubernetes } = options;
      if (secretsKubernetes !== undefined && path === undefined)
        apply.error('error: --secrets-kubernetes needs --secrets-file');
      const wanted = readGatewayFile(await readInput(file, io), file === '-' ? 'standard input' : file);
      const secrets = path === undefined ? undefined : await SecretsFile.open(path, secretsKubernetes);
      await run((client, { server }) => applyFile({ client, io, options, secrets, server, wanted }));
    });
}

interface ApplyInput {
  client: ControlPlaneCalls;
  server: CalledServer;
  wanted: GatewayFile;
  secrets: SecretsFile | undefined;
  options: ApplyOptions;
  io: Pick<Io, 'writeError'>;
}

/** Plans all changes first, so that most mistakes are found before anything is changed. */
async function applyFile({
  client,
  io,
  options,
  secrets,
  server,
  wanted,
}: ApplyInput): Promise<CommandResult> {
  const { dryRun, prune: prunes, secretsFile } = options;
  const newRun = (isPlan: boolean): ApplyRun => ({
    client,
    isPlan,
    prunes,
    secrets,
    changes: [],
    unchanged: 0,
    unconfirmed: new Set(),
  });
  const plan = newRun(true);
  await applyAccounts(plan, wanted);
  const withSecret = plan.changes.filter(
    ({ action, object }) => action === 'create' && /^(key|webhook) /.test(object),
  );
  if (!dryRun && withSecret.length > 0 && secrets === undefined) {
    const made = `${countedNames(withSecret)} would be created`;
    throw new CommandFailure([`${made}: name the file for the secrets with --secrets-file`]);
  }
  if (dryRun) return resultOf(plan, true);
  if (plan.changes.some(({ action }) => action === 'remove')) {
    io.writeError(`gatewayctl: --prune removes:\n${changesText(plan.changes, 'remove')}`);
  }
  const done = newRun(false);
  try {
    await applyAccounts(done, wanted);
  } catch (error) {
    const reason = error instanceof CommandFailure ? error.lines : describeCallFailure(error, server);
    if (reason === undefined) throw error;
    const progress = `${done.changes.length} of ${plan.changes.length} changes were made, then one failed`;
    const advice = 'run the same command again: it makes the rest';
    throw new CommandFailure([`${progress}: ${reason.join('; ')}`, advice], { cause: error });
  }
  return resultOf(done, false, withSecret.length > 0 ? secretsFile : undefined);
}

/** Returns text such as `3 keys and 1 webhook`. */
function countedNames(changes: readonly Change[]): string {
  const counted = ['key', 'webhook'].map((kind) => {
    const count = changes.filter(({ object }) => object.startsWith(`${kind} `)).length;
    return count === 0 ? '' : `${count} ${kind}${count === 1 ? '' : 's'}`;
  });
  return counted.filter((each) => each !== '').join(' and ');
}

function resultOf(run: ApplyRun, dryRun: boolean, secretsFile?: string): CommandResult {
  const { changes, unchanged, unconfirmed } = run;
  const instances = [...unconfirmed];
  return {
    json: {
      dry_run: dryRun,
      changes,
      unchanged,
      secrets_file: secretsFile ?? null,
      unconfirmed_instances: instances,
    },
    text: `${changesText(changes)}${summaryText(run, dryRun)}`,
    note: unconfirmedNote(instances, 'apply the old state'),
  };
}
