import { createPrismaClient, type PrismaClient, type SettledRecord } from '@model-gateway/database';
import { newRequestId, type Payer, resolvePayer } from '@model-gateway/shared';
import { AllowanceStore } from '../src/billing/allowance-store.ts';
import { MoveMoneyStore } from '../src/owned-pools/move-money-store.ts';
import { PoolChangeStore } from '../src/pools/pool-change-store.ts';
import { PoolStore } from '../src/pools/pool-store.ts';
import { RollUpStore } from '../src/roll-ups/roll-up-store.ts';
import { SettlementStore } from '../src/settlement/settlement-store.ts';
import { at, type ControlPlanes } from './control-planes-fixture.ts';

const USD = 1_000_000_000n;
const MINUTE_MS = 60_000;
/** Requests that are told of at the same time: few, so that several are told of the same ones. */
const RECENT_REQUESTS = 60;
const MOST_AT_ONCE = 20;
const LOCK_NOT_AVAILABLE = '55P03';

/** Two accounts, and a seat that also draws on the pools of its team. */
const OWNERS = [
  { accountId: 'acct_one' },
  { accountId: 'acct_two' },
  { accountId: 'acct_one', seatId: 'seat_one', teamId: 'team_one' },
];
const PAYERS: readonly Payer[] = OWNERS.map(resolvePayer);
/** Their pools at the beginning. */
const POOLS = [
  { id: 'pool_m', owner: { kind: 'account', id: 'acct_one' } },
  { id: 'pool_b', owner: { kind: 'account', id: 'acct_one' } },
  { id: 'pool_k', owner: { kind: 'account', id: 'acct_two' } },
  { id: 'pool_z', owner: { kind: 'seat', id: 'seat_one' } },
  { id: 'pool_a', owner: { kind: 'team', id: 'team_one' } },
] as const;
const INSTANCES = ['plane_one', 'plane_two', 'plane_three'];

export interface RandomMoney {
  /** How often each operation was done. */
  done: Record<string, number>;
  /** How often each error was answered. */
  failures: Record<string, number>;
  /** How often a pool that was added meanwhile was in use, so that a data plane would ask again. */
  toAskAgain: number;
}

/**
 * Does at random, on many connections at once, what control planes do with money: always over the same few
 * payers, and several times over the same requests. The same seed gives the same operations, but for their timing.
 */
export async function moveMoneyAtRandom(
  control: ControlPlanes,
  { seed, connections, forMs }: { seed: number; connections: number; forMs: number },
): Promise<RandomMoney> {
  await insertPayers(control);
  // As if the database had been made an hour ago: there are minutes to be added to their hours.
  await control.query(`UPDATE rollup_watermark SET until = until - interval '1 hour'`);
  const result: RandomMoney = { done: {}, failures: {}, toAskAgain: 0 };
  const world = new World();
  const untilMs = performance.now() + forMs;
  await Promise.all(
    Array.from({ length: connections }, async (_, index) => {
      const prisma = createPrismaClient(control.databaseUrl, { maxConnections: 1 });
      try {
        const operations = Object.entries(operationsOf(prisma, world, new Dice(seed + index)));
        const dice = new Dice(seed - index - 1);
        while (performance.now() < untilMs) {
          const [name, run] = dice.of(operations);
          try {
            await run();
            result.done[name] = (result.done[name] ?? 0) + 1;
          } catch (error) {
            const problem = String(error);
            if (problem.includes(LOCK_NOT_AVAILABLE)) result.toAskAgain += 1;
            else result.failures[problem] = (result.failures[problem] ?? 0) + 1;
          }
        }
      } finally {
        await prisma.$disconnect();
      }
    }),
  );
  return result;
}

async function insertPayers({ query, databaseUrl }: ControlPlanes): Promise<void> {
  await query(`
    INSERT INTO accounts (id, email, name)
    VALUES ('acct_one', 'one@example.com', 'One'), ('acct_two', 'two@example.com', 'Two')`);
  await query(`
    INSERT INTO teams (id, owner_account_id, name, requests_per_minute) VALUES ('team_one', 'acct_two', 'Team', 60)`);
  await query(`INSERT INTO seats (id, team_id, account_id) VALUES ('seat_one', 'team_one', 'acct_one')`);
  const prisma = createPrismaClient(databaseUrl, { maxConnections: 1 });
  try {
    const pools = new PoolStore(prisma);
    for (const pool of POOLS) {
      await pools.add({ ...pool, name: pool.id, included: 20n * USD, resets: 'never' });
    }
  } finally {
    await prisma.$disconnect();
  }
}

/** What all connections tell of. */
class World {
  readonly #requests: string[] = [];
  readonly #allowances = new Map<Payer, string[]>();
  #made = 0;

  /** Ids of requests, some of them new. */
  requests(dice: Dice): string[] {
    const count = 1 + dice.below(MOST_AT_ONCE);
    for (let fresh = dice.below(count); fresh > 0; fresh--) this.#requests.push(newRequestId());
    this.#requests.splice(0, this.#requests.length - RECENT_REQUESTS);
    return this.#requests.length === 0 ? [] : Array.from({ length: count }, () => dice.of(this.#requests));
  }

  /** One of the last allowances of a payer, or a new one. */
  allowance(payer: Payer, dice: Dice): string {
    const known = this.#allowances.get(payer) ?? [];
    this.#allowances.set(payer, known);
    if (known.length === 0 || dice.below(8) === 0) {
      this.#made += 1;
      // Ids in an order that is not that of their age.
      known.push(`allowance_${dice.below(1_000_000)}_${this.#made}`);
      known.splice(0, known.length - 4);
    }
    return dice.of(known);
  }

  newPool(): string {
    this.#made += 1;
    return `pool_${this.#made % 2 === 0 ? 'c' : 'y'}${this.#made}`;
  }
}

function operationsOf(
  prisma: PrismaClient,
  world: World,
  dice: Dice,
): Record<string, () => Promise<unknown>> {
  const allowances = new AllowanceStore(prisma);
  const settlements = new SettlementStore(prisma);
  const rollUps = new RollUpStore(prisma);
  const changes = new PoolChangeStore(prisma);
  const moves = new MoveMoneyStore(prisma);
  const pools = new PoolStore(prisma);
  const row = (requestId: string): SettledRecord => {
    // A request has the same payer, whoever tells of it.
    const place = (requestId.codePointAt(15) ?? 0) % PAYERS.length;
    const payer = at(PAYERS, place);
    return {
      requestId,
      payer,
      ...at(OWNERS, place),
      keyId: `key_${dice.below(3)}`,
      modelId: dice.of(['sim/chat', 'sim/chat-pro']),
      capability: 'chat',
      priceVersion: undefined,
      inputTokens: 10,
      parts: undefined,
      usageSource: 'provider',
      billingReason: 'completed',
      held: '0',
      cost: dice.below(2) === 0 ? '0' : String(1 + dice.below(10_000_000)),
      allowanceId: world.allowance(payer, dice),
      attempts: [],
      endedAt: new Date(Date.now() - dice.below(2) * dice.below(50) * MINUTE_MS).toISOString(),
      clientStatus: undefined,
      clientErrorCode: undefined,
    };
  };
  const rows = () => world.requests(dice).map(row);
  const asked = (payer: Payer) => ({
    id: world.allowance(payer, dice),
    payer,
    needs: [BigInt(1 + dice.below(20)) * (USD / 10n)],
    spare: BigInt(dice.below(2)) * USD,
    returned: BigInt(dice.below(10)) * (USD / 10n),
  });
  const givenBack = () => ({
    id: world.allowance(dice.of(PAYERS), dice),
    returned: BigInt(dice.below(30)) * (USD / 10n),
    close: dice.below(3) === 0,
  });
  const severalTimes = <Item extends { id: string }>(make: () => Item) => [
    ...new Map(Array.from({ length: 4 }, make).map((item) => [item.id, item])).values(),
  ];
  const lease = async (until: string) => {
    const instanceId = dice.of(INSTANCES);
    await prisma.$executeRawUnsafe(
      `INSERT INTO key_watchers (instance_id, control_plane_id, acked_revision, lease_until)
       VALUES ($1, 'test', 0, now() + $2::interval)
       ON CONFLICT (instance_id) DO UPDATE SET lease_until = EXCLUDED.lease_until`,
      instanceId,
      until,
    );
    return instanceId;
  };
  const settle = async () => await settlements.settle(rows());
  const acquire = async () => await allowances.acquire(await lease('1 hour'), asked(dice.of(PAYERS)));
  return {
    settle,
    settleAgain: settle,
    checkpoint: () => settlements.checkpoint(distinct(rows())),
    async loseDataPlane() {
      const instanceId = await lease('-1 hour');
      const open = await prisma.allowance.findMany({ where: { instanceId, closedAt: null } });
      for (const { id } of open) {
        await prisma.$executeRawUnsafe(`SELECT close_expired_allowance($1, '0 seconds')`, id);
      }
    },
    acquire,
    acquireMore: acquire,
    acquireMany: async () =>
      await allowances.acquireMany(
        await lease('1 hour'),
        severalTimes(() => asked(dice.of(PAYERS))),
      ),
    giveBack: () => {
      const { id, ...given } = givenBack();
      return allowances.giveBack(id, { ...given, recall: dice.below(5), granted: 100n * USD });
    },
    giveBackMany: () => allowances.giveBackMany(severalTimes(givenBack)),
    rollUp: () => rollUps.rollUp(1 + dice.below(50)),
    widen: () => rollUps.widen(1),
    prune: () => allowances.prune(),
    changePool: () =>
      changes.change(dice.of(POOLS).id, { included: BigInt(5 + dice.below(40)) * USD, name: undefined }),
    moveMoney: () => {
      const to = dice.of(POOLS);
      return moves.move(
        dice.of(POOLS).id,
        USD / 10n,
        { id: world.newPool(), name: to.id, owner: to.owner },
        6,
      );
    },
    async addAndRemovePool() {
      const id = world.newPool();
      const { owner } = dice.of(POOLS);
      await pools.add({ id, name: id, owner, included: 2n * USD, resets: 'monthly' });
      await settle();
      await changes.remove(id);
    },
  };
}

/** A batch of checkpoints has each request once. */
function distinct<Row extends { requestId: string }>(rows: readonly Row[]): Row[] {
  return [...new Map(rows.map((row) => [row.requestId, row])).values()];
}

/** Random numbers that a seed determines (mulberry32). */
class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  below(count: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % count;
  }

  of<Item>(items: readonly Item[]): Item {
    return at(items, this.below(items.length));
  }
}
