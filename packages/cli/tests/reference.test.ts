import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gatewayProto } from '@model-gateway/contracts';
import { describe, expect, it } from 'vitest';
import { callsOfCommands } from './command-calls.ts';
import { commandPaths, commandReference } from './command-reference.ts';
import { programOf } from './program-of.ts';

const program = programOf();
const calls = callsOfCommands();

/** This command prints a script, and asks no control plane. */
const WITHOUT_CONTROL_PLANE = ['completion'];

/** The methods for operators. The other methods of these services are for data planes, or are streams. */
const FOR_OPERATORS = [
  ...methodsOf('AccountService'),
  ...methodsOf('TeamService'),
  ...methodsOf('PoolService'),
  ...methodsOf('RulesService'),
  ...methodsOf('AuditService'),
  ...methodsOf('MemberService'),
  ...methodsOf('ScimService'),
  ...methodsOf('WebhookService'),
  // The client itself calls it, before each of the others.
  ...methodsOf('AdminService').filter((method) => method !== 'AdminService/ProveServer'),
  ...['ApplyCatalog', 'AddToCatalog', 'RemoveFromCatalog', 'GetCatalog', 'ListCatalogVersions'].map(
    (each) => `CatalogService/${each}`,
  ),
  'CatalogService/GetCatalogVersion',
  ...methodsOf('CatalogService').filter((method) => method.includes('PriceList')),
  ...[
    'GetUsage',
    'GetTotalUsage',
    'GetReceipt',
    'ListReceipts',
    'ListDailyUsage',
    'ListProviderAttempts',
  ].map((each) => `BillingService/${each}`),
];

function methodsOf(
  service:
    | 'AccountService'
    | 'TeamService'
    | 'PoolService'
    | 'RulesService'
    | 'AdminService'
    | 'AuditService'
    | 'CatalogService'
    | 'MemberService'
    | 'ScimService'
    | 'WebhookService',
): string[] {
  return Object.keys(gatewayProto[service].service).map((method) => `${service}/${method}`);
}

describe('every command', () => {
  it('calls methods that the control plane has', () => {
    for (const path of commandPaths(program)) {
      const methods = calls.get(path) ?? [];
      expect({ path, asks: methods.length > 0 }).toEqual({
        path,
        asks: !WITHOUT_CONTROL_PLANE.includes(path),
      });
      for (const method of methods) expect(FOR_OPERATORS).toContain(method);
    }
  });

  it('and no method for operators is without a command', () => {
    const called = new Set(commandPaths(program).flatMap((path) => calls.get(path) ?? []));
    expect(FOR_OPERATORS.filter((method) => !called.has(method))).toEqual([]);
  });

  it('has a test that runs it against a control plane', () => {
    const folder = import.meta.dirname;
    const tests = readdirSync(folder)
      .filter((name) => name.endsWith('.test.ts'))
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .join('\n');
    const isRun = (path: string) =>
      new RegExp(
        path
          .split(' ')
          .map((word) => `'${word}'`)
          .join(',\\s*'),
      ).test(tests);
    expect(commandPaths(program).filter((path) => !isRun(path))).toEqual([]);
  });

  it('has its current help in docs/gatewayctl.md (-u writes the page)', async () => {
    await expect(commandReference(program, calls)).toMatchFileSnapshot('../../../docs/gatewayctl.md');
  });
});
