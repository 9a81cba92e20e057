import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const COMMANDS = fileURLToPath(new URL('../src/commands', import.meta.url));

const SERVICES: Readonly<Record<string, string>> = {
  accounts: 'AccountService',
  admin: 'AdminService',
  billing: 'BillingService',
  catalog: 'CatalogService',
  pools: 'PoolService',
  teams: 'TeamService',
};

/**
 * Reads from the source which methods of the control plane each command calls: `keys create` →
 * AccountService/CreateKey.
 */
export function callsOfCommands(): Map<string, string[]> {
  const calls = new Map<string, string[]>();
  for (const entry of readdirSync(COMMANDS, { recursive: true, encoding: 'utf8' })) {
    if (!entry.endsWith('.ts') || entry.endsWith('.test.ts')) continue;
    const path = join(COMMANDS, entry);
    for (const [, parent = '', name = ''] of readFileSync(path, 'utf8').matchAll(
      /(\w+)\s*\.command\('([\w-]+)'\)/g,
    )) {
      calls.set(parent === 'program' ? name : `${parent} ${name}`, [...methodsIn(path)].sort());
    }
  }
  return calls;
}

function methodsIn(path: string, seen = new Set<string>()): Set<string> {
  const methods = new Set<string>();
  if (seen.has(path)) return methods;
  seen.add(path);
  const source = readFileSync(path, 'utf8');
  for (const [, service = '', method = ''] of source.matchAll(
    /\.call(?:Once)?\(\s*\w+,\s*'(\w+)',\s*'(\w+)'/g,
  )) {
    methods.add(`${SERVICES[service] ?? service}/${method.charAt(0).toUpperCase()}${method.slice(1)}`);
  }
  for (const [, imported = ''] of source.matchAll(/from '(\.[^']+)'/g)) {
    const other = join(dirname(path), imported);
    if (!other.startsWith(COMMANDS)) continue;
    for (const method of methodsIn(other, seen)) methods.add(method);
  }
  return methods;
}
