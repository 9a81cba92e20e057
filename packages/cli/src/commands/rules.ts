import type { RulesReportMessage } from '@model-gateway/contracts';
import { type RulesReport, rulesReport } from '@model-gateway/shared/rules';
import type { Command } from 'commander';
import type { Io } from '../io.ts';
import { unconfirmedNote } from '../output/unconfirmed-note.ts';
import { readInput } from '../read-input.ts';
import { addRulesOwnerOptions, type RulesOwnerOptions, rulesOwner } from '../rules-owner-options.ts';
import { CALL_DEADLINE_MS, type RunCommand } from '../run-command.ts';

export function addRules(program: Command, run: RunCommand, io: Pick<Io, 'readStdin'>): void {
  const rules = program
    .command('rules')
    .description('show and set budgets, models and limits of keys, seats, teams, accounts and end users');
  addRulesSet(rules, run, io);
  addRulesShow(rules, run);
}

function addRulesSet(rules: Command, run: RunCommand, io: Pick<Io, 'readStdin'>): void {
  const set: Command = addRulesOwnerOptions(rules.command('set'))
    .description(
      'replace all rules of an owner; a member that the file leaves out restricts nothing. `{}` removes all ' +
        'restrictions; `null` gives an end user the rules of all end users again',
    )
    .requiredOption('-f, --file <file>', 'rules as JSON; - reads standard input')
    .action((argument: string | undefined, options: RulesOwnerOptions & { file: string }) => {
      const owner = rulesOwner(set, argument, options);
      return run(async (client) => {
        const rulesJson = await readInput(options.file, io);
        const answer = await client.call(CALL_DEADLINE_MS, 'rules', 'setRules', { owner, rulesJson });
        const unconfirmed = answer.unconfirmedInstances;
        const json = { ...readReport(answer.rules), unconfirmed_instances: unconfirmed };
        return { json, text: jsonText(json), note: unconfirmedNote(unconfirmed, 'apply the old rules') };
      });
    });
}

function addRulesShow(rules: Command, run: RunCommand): void {
  const show: Command = addRulesOwnerOptions(rules.command('show'))
    .description(
      'show the rules of an owner; `effective` is what all levels allow together, `from` the level that ' +
        'decided, `spend` what the budgets have left',
    )
    .option('--own', 'only the rules of the owner itself, as `rules set` reads them')
    .action((argument: string | undefined, options: RulesOwnerOptions & { own?: boolean }) => {
      const owner = rulesOwner(show, argument, options);
      return run(async (client) => {
        const report = readReport(await client.call(CALL_DEADLINE_MS, 'rules', 'getRules', { owner }));
        const { effective: _, from: __, spend: ___, ...rules } = report;
        const json = options.own === true ? rules : report;
        return { json, text: jsonText(json) };
      });
    });
}

/** @throws when the answer of the control plane holds no rules */
export function readReport(message: RulesReportMessage | null): RulesReport {
  if (message === null) throw new Error('the control plane answered without rules');
  return rulesReport.parse(JSON.parse(message.reportJson));
}

/** Rules are JSON for people, too: that is what `rules set` reads. */
function jsonText(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
