import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isTest } from './imports.ts';
import { callsIn, passesActor, readUnits, type Unit, unitsNamedIn } from './store-units.ts';
import { isNode, lineAt, listOf, type Node, nameOf, nodesIn } from './syntax-tree.ts';
import type { Workspace } from './workspace.ts';

const CONTROL_PLANE = 'services/control-plane/src/';
/** Files beside the stores that may hold the database client. */
const CLIENT_FILES = ['context.ts', 'stores.ts', 'start-control-plane.ts', 'database/prisma-store.ts'];
/** Stores whose writes have no actor: requests, processes, checks and clean-up cause them. */
const UNRECORDED_STORES = new Set([
  'audit/append-event-store.ts',
  'audit/attempt-store.ts',
  'audit/audit-heads-store.ts',
  'billing/allowance-store.ts',
  'contents/contents-store.ts',
  'credentials/credential-store.ts',
  'data-planes/key-event-list-store.ts',
  'data-planes/watcher-store.ts',
  'database/epoch-store.ts',
  'event-checks/event-check-store.ts',
  'events/forget-account-store.ts',
  'fleet/process-report-store.ts',
  'idempotency/idempotency-store.ts',
  'keys/old-pepper-store.ts',
  'mail/mail-delivery-store.ts',
  'partitions/usage-partition-store.ts',
  'pools/ledger-mismatch-store.ts',
  'pools/usage-retention-store.ts',
  'provider-reports/provider-report-store.ts',
  'reconciliation/reconciliation-store.ts',
  'refusals/refusal-store.ts',
  'roll-ups/roll-up-store.ts',
  'settlement/followed-response-store.ts',
  'settlement/settlement-store.ts',
  'status/probe-store.ts',
  'status/waiting-store.ts',
  'webhooks/delivery-store.ts',
  'webhooks/hold-deliveries-store.ts',
  'verifications/verification-store.ts',
]);
/** Methods of other stores whose writes have no actor. `prune` is clean-up in every store. */
const UNRECORDED_METHODS = new Set([
  // The last use of an admin key or token.
  'AdminKeyStore.noteUse',
  'ScimTokenStore.noteUse',
  // A hidden key, which the dashboard holds for a session and a few minutes.
  'HolderKeyStore.createPlayground',
  // The hash of a key that a data plane resolves, while a pepper is replaced.
  'KeyStore.moveHash',
  // The same secret, sealed with the new pepper.
  'StoredCredentialStore.renew',
  'WebhookSecretStore.renew',
]);

/**
 * Returns a line for each change that could be made without its audit event: a method of a store that writes
 * without passing an actor to recordChange in its transaction, and a use of the database outside stores.
 */
export function unrecordedChanges(workspace: Workspace): string[] {
  const { files, folder } = workspace;
  const own = files.filter((file) => file.startsWith(CONTROL_PLANE) && !isTest(file));
  const stores = own.filter((file) => file.endsWith('-store.ts'));
  return [
    ...unrecordedMethods(folder, stores),
    ...own.filter((file) => !stores.includes(file)).flatMap((file) => clientUses(folder, file)),
  ];
}

function unrecordedMethods(folder: string, files: readonly string[]): string[] {
  const units = readUnits(folder, files);
  const sqlFunctions = writingSqlFunctions(folder);
  const writing = grow(
    units.filter((unit) => writes(unit, sqlFunctions)),
    units,
    (unit, known) => unitsNamedIn(unit, units).some((named) => known.has(named)),
  );
  const recording = grow([], units, (unit, known) => records(unit, units, known));
  return units
    .filter((unit) => isChecked(unit) && writing.has(unit) && !recording.has(unit))
    .map(
      ({ file, name, node, source }) =>
        `${file}:${lineAt(source, node.start)} ${name} writes without recording the change of its actor ` +
        'in its transaction (audit/record-change.ts)',
    );
}

function isChecked({ className, file, name }: Unit): boolean {
  if (className === undefined || UNRECORDED_STORES.has(file.slice(CONTROL_PLANE.length))) return false;
  const isPrivate = name.includes('.#');
  return !isPrivate && !UNRECORDED_METHODS.has(name) && !name.endsWith('.prune');
}

/** Adds units that depend on known ones, until there are no more. */
function grow(
  start: readonly Unit[],
  units: readonly Unit[],
  depends: (unit: Unit, known: ReadonlySet<Unit>) => boolean,
): ReadonlySet<Unit> {
  const known = new Set(start);
  for (;;) {
    const more = units.filter((unit) => !known.has(unit) && depends(unit, known));
    if (more.length === 0) return known;
    for (const unit of more) known.add(unit);
  }
}

/**
 * Returns true if a unit passes its actor to recordChange, or to a unit that does. A method does so in the
 * transaction of the change.
 */
function records(unit: Unit, units: readonly Unit[], known: ReadonlySet<Unit>): boolean {
  const scopes = unit.className === undefined ? [unit.node] : transactionsIn(unit.node);
  const recordsHere = callsIn(scopes).some(
    (call) =>
      passesActor(unit, call) &&
      ((nameOf(call.callee) === 'recordChange' && isNamed(listOf(call.arguments)[0])) ||
        unitsNamedIn({ ...unit, node: call }, units).some((named) => known.has(named))),
  );
  if (recordsHere) return true;
  // The method may leave the whole change to another method.
  return callsIn([unit.node]).some(
    (call) =>
      passesActor(unit, call) &&
      unitsNamedIn({ ...unit, node: call }, units).some(
        (named) => named.className !== undefined && known.has(named),
      ),
  );
}

/** Returns true for a variable: a transaction's client. `this.prisma` is not one. */
function isNamed(client: unknown): boolean {
  return nameOf(client) !== undefined;
}

function transactionsIn(node: Node): Node[] {
  return callsIn([node]).filter(({ callee }) => isNode(callee) && nameOf(callee.property) === '$transaction');
}

const WRITING_SQL = /\b(INSERT INTO|DELETE FROM|(?<!(FOR|KEY)\s+)UPDATE)\b/;
const WRITING_CALLS = new Set(
  ['create', 'update', 'delete']
    .flatMap((name) => [name, `${name}Many`, `${name}ManyAndReturn`])
    .concat('upsert'),
);

/** Returns true for SQL that writes, a call of a SQL function that does, and a writing call of Prisma. */
function writes({ node, source }: Unit, sqlFunctions: readonly string[]): boolean {
  return nodesIn(node).some((each) => {
    if (each.type === 'CallExpression') return isWritingCall(each);
    if (each.type !== 'TemplateLiteral' && each.type !== 'Literal') return false;
    const sql = source.slice(each.start, each.end);
    return WRITING_SQL.test(sql) || sqlFunctions.some((name) => sql.includes(`${name}(`));
  });
}

/** Matches `client.table.update()`, but not `this.#map.delete()`. */
function isWritingCall({ callee }: Node): boolean {
  if (!isNode(callee) || !WRITING_CALLS.has(nameOf(callee.property) ?? '')) return false;
  const table = callee.object;
  return (
    isNode(table) &&
    table.type === 'MemberExpression' &&
    isNode(table.object) &&
    table.object.type !== 'ThisExpression'
  );
}

function writingSqlFunctions(folder: string): string[] {
  return globSync('prisma/functions/*.sql', { cwd: folder }).flatMap((file) => {
    const sql = readFileSync(join(folder, file), 'utf8').replaceAll(/--.*$/gm, '');
    return WRITING_SQL.test(sql) ? (/FUNCTION (\w+)/.exec(sql)?.[1] ?? []) : [];
  });
}

function clientUses(folder: string, file: string): string[] {
  if (CLIENT_FILES.includes(file.slice(CONTROL_PLANE.length))) return [];
  const source = readFileSync(join(folder, file), 'utf8');
  return [...source.matchAll(/\bprisma\b(?![/-])/g)].map(
    ({ index }) => `${file}:${lineAt(source, index)} uses the database client: only stores may`,
  );
}
