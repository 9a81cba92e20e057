import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Gatewayctl, MAIN, PROCESS_ENVIRONMENT, startGatewayctl } from './gatewayctl-fixture.ts';

const PAGE = readFileSync(new URL('../../../docs/management-api.md', import.meta.url), 'utf8');
const CATALOG = 'providers: []\nmodels: []\n';

/** Output of the lines under each heading. */
const PRINTED: Record<string, string> = {
  'Create the first admin key': '',
  'Create an account with a key and a budget': '"Start"\nproduction\n',
  'Find an object by your own id, and list with a cursor': 'customer@example.com\n1\n',
  'Change without overwriting others': 'Europe/Berlin\nprecondition_failed\n',
  'Repeat a request safely': '1\nidempotency_key_reused\n',
  'Revoke a key': 'true\nrevoked\n',
  'Read usage and receipts': '0\n0\nnull\n0\n',
  'Change the catalog': '[]\ncatalog\n',
  'See who changed what': 'admin_key\n',
  'Manage everything from one file': [
    '+ account team@example.com',
    '~ limits of team@example.com: paid_per_minute is default, in the file 200',
    '+ pool Monthly of team@example.com',
    '+ key ci of team@example.com',
    'Nothing was changed. This would be: 3 created, 1 changed, 0 removed; 0 objects are as in the file.',
    '+ account team@example.com',
    '~ limits of team@example.com: paid_per_minute is default, in the file 200',
    '+ pool Monthly of team@example.com',
    '+ key ci of team@example.com',
    '3 created, 1 changed, 0 removed; 0 objects are as in the file.',
    'Nothing to change: 4 objects are as in the file.',
    '',
  ].join('\n'),
  'Errors and limits': 'unknown_field budget\n',
};

let gatewayctl: Gatewayctl;

/** The lines of shell on the page, by the heading above them. */
function sections(): [heading: string, lines: string][] {
  return PAGE.split(/^## /m)
    .slice(1)
    .map((text): [string, string] => {
      const blocks = [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, lines = '']) => lines);
      return [text.slice(0, text.indexOf('\n')), blocks.join('')];
    })
    .filter(([, lines]) => lines !== '');
}

/** Runs all lines in one shell, which prints a mark before those of each section. */
function run(): Promise<string> {
  const script = sections()
    .map(([heading, lines]) => `echo '## ${heading}'\n${lines}`)
    .join('');
  const program = `gatewayctl() { '${process.execPath}' '${MAIN}' "$@"; }\n`;
  const { folder: cwd, environment, adminUrl } = gatewayctl;
  const env = { ...PROCESS_ENVIRONMENT, ...environment };
  return new Promise((resolve, reject) => {
    execFile(
      'bash',
      ['-o', 'pipefail', '-ec', program + script.replaceAll('http://127.0.0.1:8091', adminUrl)],
      { cwd, env },
      (error, out, err) => {
        if (error === null) resolve(out);
        else reject(new Error(`${out}\n${err}`, { cause: error }));
      },
    );
  });
}

beforeAll(async () => {
  gatewayctl = await startGatewayctl();
  await gatewayctl.run(['catalog', 'apply', '-f', '-'], CATALOG);
  // The first page of the list has a next one.
  await gatewayctl.id('accounts', 'create', '--email', 'first@example.com');
});
afterAll(() => gatewayctl?.[Symbol.asyncDispose]());

it('the lines of docs/management-api.md run, and print what the page says', async () => {
  const printed = (await run())
    .split(/^## /m)
    .slice(1)
    .map((text) => [text.slice(0, text.indexOf('\n')), text.slice(text.indexOf('\n') + 1)]);
  expect(Object.fromEntries(printed)).toEqual(PRINTED);
});
