import { readTables } from '@model-gateway/test-kit/dump-tables';
import { runSql } from '@model-gateway/test-kit/run-sql';
import { settleRows, usageRow } from '@model-gateway/test-kit/usage-row';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { commandPaths } from './command-reference.ts';
import { argumentsOf, SCRIPT, type Step } from './command-script.ts';
import { type Gatewayctl, idIn, type Outcome, runWith, startGatewayctl } from './gatewayctl-fixture.ts';
import { Names } from './normalize.ts';
import { programOf } from './program-of.ts';

/** Members of audit events and catalog versions that follow from the actor and from random ids. */
const OF_ACTOR = ['actor', 'applied_by', 'way', 'request_id', 'chain', 'position', 'hash'];
/** Columns that differ, by table. */
const DIFFERENT: Record<string, readonly string[]> = {
  audit_events: OF_ACTOR,
  key_events: ['revision'],
  admin_keys: ['last_used_at'],
  catalog_versions: ['actor'],
  events: ['transaction_id'],
  webhook_deliveries: ['transaction_id'],
  webhook_secrets: ['sealed'],
};

/** A control plane on a new database, and gatewayctl that calls it in one way. */
interface Way {
  gatewayctl: Gatewayctl;
  environment: Record<string, string>;
  /** Ids printed by the steps with `as`. */
  ids: Map<string, string>;
  /** Replaces what differs between two equal installations. */
  names: Names;
}

async function startWay(
  environmentOf: (gatewayctl: Gatewayctl) => Promise<Way['environment']>,
): Promise<Way> {
  const gatewayctl = await startGatewayctl();
  return {
    gatewayctl,
    environment: await environmentOf(gatewayctl),
    ids: new Map(),
    names: new Names(),
  };
}

/** Runs a step, and returns what it prints in every form. */
async function outcomesOf(way: Way, step: Step): Promise<Outcome[]> {
  const args = argumentsOf(step, way.ids);
  const run = (...more: string[]) => runWith(way.environment, [...args, ...more], step.stdin);
  if (step.showsActors) return [withoutActors(way, await run('--json'))];
  if (step.as === undefined) return step.once ? [await run()] : [await run(), await run('--json')];
  const outcome = await run('--json');
  if (outcome.code !== 0) throw new Error(`${step.args}: ${outcome.err}`);
  way.ids.set(step.as, idIn(JSON.parse(outcome.out)));
  return [outcome];
}

/** Removes what follows from the actor, and sorts rows: some events have the same time. */
function withoutActors({ names }: Way, { out, ...outcome }: Outcome): Outcome {
  const rows = out.startsWith('[')
    ? z
        .array(z.unknown())
        .parse(JSON.parse(out))
        .map((row) => JSON.stringify(row))
    : out.trim().split('\n');
  const shown = rows.map((row) => names.replaceKnown(without(OF_ACTOR, row)));
  return { ...outcome, out: shown.sort().join('\n') };
}

const same = ({ names }: Way, outcomes: readonly Outcome[]) =>
  outcomes.map(({ code, err, out }) => ({ code, out: names.replace(out), err: names.replace(err) }));

/** Settles a request of an account, as a data plane reports it. */
async function settle({ gatewayctl, ids }: Way): Promise<void> {
  const row = usageRow({
    requestId: 'req_1',
    accountId: ids.get('ada') ?? '',
    keyId: ids.get('rotated') ?? '',
    modelId: 'acme/small',
    cost: '1000',
    endedAt: '2026-03-01T10:00:00Z',
  });
  await settleRows((...statement) => runSql(gatewayctl.databaseUrl, ...statement), [row]);
}

const columnsOf = z.record(z.string(), z.unknown());
const event = z.looseObject({
  actor: z.looseObject({ type: z.string() }),
  way: z.string(),
  object_name: z.string(),
});

async function tablesOf({ gatewayctl, names }: Way): Promise<Map<string, string[]>> {
  const tables = await readTables(gatewayctl.databaseUrl);
  // The heads of the chains follow from the events. Others have the identity of the database server, and
  // figures of the process.
  for (const name of ['audit_chains', 'installation', 'reported_processes']) tables.delete(name);
  return new Map(
    [...tables].map(([name, rows]) => {
      const shown = rows.map((row) => names.replaceKnown(without(DIFFERENT[name] ?? [], row)));
      return [name, shown.sort()];
    }),
  );
}

function without(columns: readonly string[], row: string): string {
  const all = Object.entries(columnsOf.parse(JSON.parse(row)));
  return JSON.stringify(Object.fromEntries(all.filter(([name]) => !columns.includes(name))));
}

async function actorsOf({ gatewayctl }: Way) {
  const rows = (await readTables(gatewayctl.databaseUrl)).get('audit_events') ?? [];
  // The operator creates the first admin key in both ways.
  const events = rows
    .map((row) => event.parse(JSON.parse(row)))
    .filter(({ object_name }) => object_name !== 'test');
  return new Set(events.map(({ actor, way }) => `${actor.type} by ${way}`));
}

let grpc: Way;
let http: Way;

beforeAll(async () => {
  grpc = await startWay(async ({ adminKey, environment }) => {
    await adminKey();
    return environment;
  });
  http = await startWay(async ({ adminKey, adminUrl }) => ({
    GATEWAY_ADMIN_URL: adminUrl,
    GATEWAY_ADMIN_KEY: await adminKey(),
  }));
});
afterAll(async () => {
  await grpc?.gatewayctl[Symbol.asyncDispose]();
  await http?.gatewayctl[Symbol.asyncDispose]();
});

describe('gatewayctl over HTTP', () => {
  it('runs every command in the script of this test', () => {
    const isRun = (path: string) => SCRIPT.some(({ args }) => `${args} `.startsWith(`${path} `));
    expect(commandPaths(programOf()).filter((path) => !isRun(path))).toEqual([]);
  });

  it.each(SCRIPT)('prints the same as by gRPC: $args', async (step) => {
    const [byGrpc, byHttp] = [await outcomesOf(grpc, step), await outcomesOf(http, step)];
    expect(same(http, byHttp)).toEqual(same(grpc, byGrpc));
    if (step.as === 'rotated') for (const way of [grpc, http]) await settle(way);
  });

  it('has changed the database in the same way as gRPC, with the same audit events', async () => {
    const [byGrpc, byHttp] = [await tablesOf(grpc), await tablesOf(http)];
    for (const [table, rows] of byGrpc) expect({ table, rows: byHttp.get(table) }).toEqual({ table, rows });
    expect(byGrpc.get('audit_events')?.length).toBeGreaterThan(0);
  });

  it('has made its changes as the admin key, by gatewayctl', async () => {
    expect(await actorsOf(grpc)).toEqual(new Set(['operator_token by cli']));
    expect(await actorsOf(http)).toEqual(new Set(['admin_key by cli']));
  });
});
