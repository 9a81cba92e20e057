import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SOURCE = fileURLToPath(new URL('../src', import.meta.url));
const COMMANDS = join(SOURCE, 'commands');

const SERVICES: Readonly<Record<string, string>> = {
  accounts: 'AccountService',
  admin: 'AdminService',
  audit: 'AuditService',
  billing: 'BillingService',
  catalog: 'CatalogService',
  members: 'MemberService',
  pools: 'PoolService',
  rules: 'RulesService',
  scim: 'ScimService',
  teams: 'TeamService',
  webhooks: 'WebhookService',
};

/**
 * Reads from the source which methods of the control plane each command calls: `keys create` →
 * AccountService/CreateKey. One function adds one command.
 */
export function callsOfCommands(): Map<string, string[]> {
  const calls = new Map<string, string[]>();
  for (const entry of readdirSync(COMMANDS)) {
    if (!entry.endsWith('.ts') || entry.endsWith('.test.ts')) continue;
    const path = join(COMMANDS, entry);
    for (const [text = ''] of readFileSync(path, 'utf8').matchAll(ADDING_FUNCTION)) {
      const [, variable = '', name] = /(\w+)\s*\.command\('([\w-]+)'\)/.exec(text) ?? [];
      // The commands of `adminKeys` are those of `admin-keys`.
      const parent = variable.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
      if (name !== undefined)
        calls.set(parent === 'program' ? name : `${parent} ${name}`, [...methodsUsed(path, text)].sort());
    }
  }
  return calls;
}

const ADDING_FUNCTION = /^(?:export )?function add.*?^}$/gms;
const FUNCTION = /^(?:export )?(?:async )?function (\w+).*?^}$/gms;
const IMPORT = /^import \{([^}]*)\} from '(\.[^']+)'/gm;

/** Finds the methods that a text of a file calls, also through functions of this program that it names. */
function methodsUsed(path: string, text: string, seen = new Set<string>()): Set<string> {
  const methods = new Set<string>();
  for (const [, service = '', method = ''] of text.matchAll(
    /\.call(?:Once)?\(\s*\w+,\s*'(\w+)',\s*'(\w+)'/g,
  )) {
    methods.add(`${SERVICES[service] ?? service}/${method.charAt(0).toUpperCase()}${method.slice(1)}`);
  }
  const source = readFileSync(path, 'utf8');
  const imported = [...source.matchAll(IMPORT)].flatMap(([, names = '', from = '']) => {
    const other = join(dirname(path), from);
    return other.startsWith(SOURCE) && names.split(/\W+/).some((name) => isNamed(name, text)) ? [other] : [];
  });
  const callees = [
    ...[...source.matchAll(FUNCTION)].flatMap(([own, name = '']) =>
      own !== text && !name.startsWith('add') && isNamed(name, text) ? [{ file: path, own }] : [],
    ),
    ...imported.map((file) => ({ file, own: readFileSync(file, 'utf8') })),
  ];
  for (const { file, own } of callees) {
    if (seen.has(own)) continue;
    seen.add(own);
    for (const method of methodsUsed(file, own, seen)) methods.add(method);
  }
  return methods;
}

function isNamed(name: string, text: string): boolean {
  return name !== '' && new RegExp(`\\b${name}\\b`).test(text);
}
