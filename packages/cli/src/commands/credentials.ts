import type { StoredCredentialMessage } from '@model-gateway/contracts';
import type { Command } from 'commander';
import { bundledFilesWith } from '../catalog-file/bundled-files.ts';
import { quoted } from '../completion/quote.ts';
import type { Io } from '../io.ts';
import { formatTable } from '../output/format-table.ts';
import { type StoredCredentialJson, sourceText, storedCredentialJson } from '../output/stored-credential.ts';
import { CALL_DEADLINE_MS, type CommandResult, type RunCommand } from '../run-command.ts';

const NAME_HELP = 'as in `credential_env` of the catalog, such as OPENAI_API_KEY';

export function addCredentials(program: Command, run: RunCommand, io: Io): void {
  const credentials = program
    .command('credentials')
    .description('set the keys of providers, without a restart of data planes');
  addCredentialsSet(credentials, run, io);
  addCredentialsList(credentials, run);
  addCredentialsRemove(credentials, run);
}

function addCredentialsSet(credentials: Command, run: RunCommand, io: Io): void {
  credentials
    .command('set')
    .description(
      "store a provider's key, read from standard input: one line, or the JSON of a service account; " +
        'stored encrypted; data planes use it within a second, also instead of a variable of that name',
    )
    .argument('<NAME>', NAME_HELP)
    .allowExcessArguments()
    .action(async (word: string, _options: unknown, command: Command) => {
      const [name = '', ...values] = [...word.split('='), ...command.args.slice(1)];
      if (values.length > 0) {
        command.error(
          `error: the value is read from standard input: gatewayctl credentials set ${name} < key.txt`,
        );
      }
      if (io.inputIsTerminal) io.writeError('Paste the key, then press Enter and Ctrl-D:\n');
      const value = await io.readStdin();
      return await run(async (client) => {
        const request = { name, value };
        const answer = await client.call(CALL_DEADLINE_MS, 'admin', 'setCredential', request);
        return setResult(answer, io.catalogDir);
      });
    });
}

function setResult(answer: StoredCredentialMessage, catalogDir: string): CommandResult {
  const json = storedCredentialJson(answer);
  const { last_four: end, name, providers } = json;
  const files = providers.length > 0 ? [] : bundledFilesWith(catalogDir, name);
  const text = `${name} is set${end === null ? '' : ` (ends in ${end})`}. Data planes use it within a second.\n`;
  return { json, text, note: nextStep(json, files) };
}

/** Returns the step that is missing before models use the credential; undefined: none. */
function nextStep({ name, providers }: StoredCredentialJson, files: readonly string[]): string | undefined {
  if (providers.length > 0) return undefined;
  const none = `No provider of the catalog names ${name}.`;
  if (files.length === 0) {
    return `${none} Name it in credential_env of a provider: gatewayctl catalog add -f FILE`;
  }
  const commands = files.map((file) => `gatewayctl catalog add -f ${quoted(file)}`);
  return [`${none} Add its models:`, ...commands].join('\n');
}

function addCredentialsList(credentials: Command, run: RunCommand): void {
  credentials
    .command('list')
    .description('list the stored keys of providers and the variables that the catalog names, without values')
    .action(() =>
      run(async (client) => {
        const answer = await client.call(CALL_DEADLINE_MS, 'admin', 'listCredentials', {});
        const rows = answer.credentials.map(storedCredentialJson);
        return { json: rows, text: credentialTable(rows) };
      }),
    );
}

function credentialTable(rows: readonly StoredCredentialJson[]): string {
  return formatTable(
    ['NAME', 'FROM', 'ENDS IN', 'SET', 'PROVIDERS'],
    rows.map((row) => [
      row.name,
      sourceText(row),
      row.last_four ?? '-',
      row.set_at ?? '-',
      row.providers.join(', ') || '-',
    ]),
  );
}

function addCredentialsRemove(credentials: Command, run: RunCommand): void {
  credentials
    .command('remove')
    .description('delete a stored key; a variable of that name in a data plane counts again')
    .argument('<NAME>', NAME_HELP)
    .action((name: string) =>
      run(async (client) => {
        const answer = await client.callOnce(CALL_DEADLINE_MS, 'admin', 'removeCredential', { name });
        const json = storedCredentialJson(answer);
        const now = json.source === 'environment' ? `${name} now comes from the ${sourceText(json)}.` : '';
        const text = `${name} is removed. Data planes stop using it within a second. ${now}`.trimEnd();
        return { json, text: `${text}\n` };
      }),
    );
}
