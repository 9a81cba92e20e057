import { randomInt, randomUUID } from 'node:crypto';
import process from 'node:process';
import { newRequestId } from '@model-gateway/shared';
import { settleRows, usageRow } from '@model-gateway/test-kit/usage-row';
import { expect, it } from 'vitest';
import { AllowanceStore } from '../../src/billing/allowance-store.ts';
import { SettlementStore } from '../../src/settlement/settlement-store.ts';
import { newPayer } from '../fixtures/allowances-fixture.ts';
import { BudgetModel } from '../fixtures/budget-model.ts';
import { type ControlPlanes, startControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { insertLease, poolsOf } from '../fixtures/pools-fixture.ts';
import { Dice } from '../fixtures/random-money-fixture.ts';

/** Set to repeat a run, or to run longer. */
const { BUDGET_SEED = String(randomInt(2 ** 31)), BUDGET_STEPS = '1500' } = process.env;

const INSTANCE = 'plane_one';
const CENT = 10_000_000n;
const BUDGETS = ['bud_a', 'bud_b', 'bud_c', 'bud_d'];

/** Does one random operation after the other, each at the database and in the model. */
class RandomBudgets {
  readonly model = new BudgetModel();
  readonly done: Record<string, number> = {};
  readonly #control: ControlPlanes;
  readonly #accountId: string;
  readonly #dice: Dice;
  readonly #allowances: AllowanceStore;
  #month = 1;

  constructor(control: ControlPlanes, accountId: string, seed: number) {
    this.#control = control;
    this.#accountId = accountId;
    this.#dice = new Dice(seed);
    this.#allowances = new AllowanceStore(control.prisma);
  }

  async step(): Promise<void> {
    const [name, run] = this.#dice.of(this.#operations());
    await run();
    this.done[name] = (this.done[name] ?? 0) + 1;
  }

  #operations(): [string, () => Promise<void>][] {
    return [
      ['acquire', () => this.#acquire()],
      ['acquire', () => this.#acquire()],
      ['acquireMany', () => this.#acquireMany()],
      ['return', () => this.#giveBack(false)],
      ['close', () => this.#giveBack(this.#dice.below(3) === 0)],
      ['settle', () => this.#settle(newRequestId())],
      ['settle', () => this.#settle(newRequestId())],
      ['settleAgain', () => this.#settle(this.#knownRequest())],
      ['checkpoint', () => this.#checkpoint()],
      ['kill', () => (this.#dice.below(4) === 0 ? this.#kill() : this.#settle(this.#knownRequest()))],
      ['changeBudget', () => this.#changeBudget(this.#dice.of(BUDGETS))],
      ['nextWindow', async () => this.#endWindow()],
    ];
  }

  #endWindow(): void {
    if (this.#dice.below(3) === 0) this.#month += 1;
  }

  async #acquire(): Promise<void> {
    const [id, allowance] = await this.#anyAllowance();
    const returned = this.#part(allowance.granted);
    const needs = Array.from({ length: this.#dice.below(4) }, () => this.#amount());
    const spare = BigInt(this.#dice.below(3)) * CENT;
    this.model.giveBack(allowance, returned);
    const room = this.model.room(allowance.windows);
    const before = allowance.granted;
    const covered = this.model.grant(allowance, needs);
    const grant = await this.#allowances.acquire(INSTANCE, this.#request(id, needs, spare, returned));
    expect(grant).toMatchObject({ covered, closed: allowance.isClosed });
    if (allowance.isClosed) return;
    const more = grant.granted - allowance.granted;
    const left = room === undefined ? undefined : room - (allowance.granted - before);
    expect(more >= 0n && more <= spare && (more === 0n || left === undefined || more <= left / 8n)).toBe(
      true,
    );
    this.model.add(allowance, more);
  }

  async #acquireMany(): Promise<void> {
    await this.#control.sql`UPDATE budget_windows SET recalled_at = NULL`;
    await this.#control.sql`UPDATE pools SET recalled_at = NULL`;
    const asked = new Map([
      await this.#anyAllowance(),
      await this.#anyAllowance(),
      await this.#anyAllowance(),
    ]);
    const need = this.#amount();
    const grants = await this.#allowances.acquireMany(
      INSTANCE,
      [...asked].map(([id, { returned }]) => this.#request(id, [need], 2n * CENT, returned)),
    );
    // Each has at least room for its need, whatever the others got.
    for (const { allowanceId, granted } of grants) {
      const allowance = asked.get(allowanceId);
      if (allowance === undefined) throw new Error('a grant for nobody');
      expect(this.model.grant(allowance, [need])).toBe(1);
      const more = granted - allowance.granted;
      const room = this.model.room(allowance.windows);
      expect(more > 0n && more <= 2n * CENT && (room === undefined || more <= room)).toBe(true);
      this.model.add(allowance, more);
    }
  }

  async #giveBack(close: boolean): Promise<void> {
    const [id, allowance] = await this.#anyAllowance();
    const returned = this.#part(allowance.granted);
    this.model.giveBack(allowance, returned);
    if (close) this.model.close(allowance);
    if (this.#dice.below(2) === 0) await this.#allowances.returnUnusedMany([{ id, returned, close }]);
    else await this.#allowances.returnUnused(id, { returned, recall: 0, close, granted: allowance.granted });
  }

  async #settle(requestId: string): Promise<void> {
    const [id, allowance] = await this.#allowanceOf(requestId);
    const cost = this.#amount();
    allowance.running.delete(requestId);
    this.model.settle(requestId, cost, allowance, false);
    await settleRows(this.#control.query, [this.#row(requestId, cost, id, allowance.windows)]);
  }

  async #checkpoint(): Promise<void> {
    const [id, allowance] = await this.#anyAllowance();
    if (allowance.isClosed) return;
    const [requestId, cost] = [newRequestId(), this.#amount()];
    allowance.running.set(requestId, cost);
    await new SettlementStore(this.#control.prisma).checkpoint([
      this.#row(requestId, cost, id, allowance.windows),
    ]);
  }

  async #kill(): Promise<void> {
    const open = [...this.model.allowances].filter(([, { isClosed }]) => !isClosed).map(([id]) => id);
    this.model.loseDataPlane();
    // One after the other, in the order of the model: the control plane may end any that looks abandoned.
    await this.#control.sql`UPDATE allowances SET used_at = now() + interval '1 hour'`;
    await this.#control.sql`UPDATE key_watchers SET lease_until = now() - interval '1 hour'`;
    for (const id of open) {
      await this.#control.sql`UPDATE allowances SET used_at = now() - interval '1 hour' WHERE id = ${id}`;
      await this.#allowances.closeExpired(id);
    }
    await this.#control.sql`UPDATE key_watchers SET lease_until = now() + interval '1 hour'`;
  }

  async #changeBudget(id: string): Promise<void> {
    const limit = BigInt(this.#dice.below(60)) * CENT;
    const warns = this.#dice.below(5) === 0;
    const isTemporary = this.#dice.below(3) === 0;
    await this.#control.sql`DELETE FROM budgets WHERE id = ${id}`;
    this.model.budgets.delete(id);
    if (this.#dice.below(5) === 0) return;
    this.model.budgets.set(id, { limit, warns });
    await this.#control.query(
      `INSERT INTO budgets (id, owner, position, "limit", "window", warns, temporary_limit, temporary_until)
       VALUES ($1, 'key:key_test', 0, $2, 'month', $3, $4, now() + $5::interval)`,
      [id, isTemporary ? 1 : limit, warns, isTemporary ? limit : 7, isTemporary ? '1 hour' : '-1 hour'],
    );
  }

  async #anyAllowance() {
    const all = [...this.model.allowances].slice(-8);
    if (all.length > 0 && this.#dice.below(4) > 0) return this.#dice.of(all);
    const budgets = BUDGETS.filter(() => this.#dice.below(2) === 0);
    const windows = budgets.map(
      (id) => `${id}/${this.#month}${id === 'bud_d' ? `/user ${this.#dice.below(2)}` : ''}`,
    );
    const id = randomUUID();
    const allowance = this.model.open(id, windows);
    await this.#allowances.acquire(INSTANCE, this.#request(id, [], 0n, 0n));
    return [id, allowance] as const;
  }

  async #allowanceOf(requestId: string) {
    const running = [...this.model.allowances].find(([, allowance]) => allowance.running.has(requestId));
    return running ?? (await this.#anyAllowance());
  }

  #knownRequest(): string {
    const running = [...this.model.allowances.values()].flatMap((each) => [...each.running.keys()]);
    const provisional = [...this.model.requests].filter(([, { isProvisional }]) => isProvisional);
    const known = [
      ...running,
      ...provisional.map(([id]) => id),
      ...[...this.model.requests.keys()].slice(-5),
    ];
    return known.length === 0 ? newRequestId() : this.#dice.of(known);
  }

  #amount(): bigint {
    return BigInt(1 + this.#dice.below(12)) * CENT;
  }

  #part(amount: bigint): bigint {
    return (amount * BigInt(this.#dice.below(4))) / 3n;
  }

  #request(id: string, needs: bigint[], spare: bigint, returned: bigint) {
    const payer = [{ kind: 'account', id: this.#accountId }];
    const budgets = this.model.allowances.get(id)?.windows ?? [];
    return { id, payer, budgets, needs, spare, returned };
  }

  #row(requestId: string, cost: bigint, allowanceId: string, budgets: readonly string[]) {
    return usageRow({ requestId, cost: String(cost), allowanceId, budgets, accountId: this.#accountId });
  }
}

it(`budgets are what a model of them says after each of many random operations (BUDGET_SEED=${BUDGET_SEED})`, async () => {
  await using control = await startControlPlanes();
  const { accountId } = await newPayer(control, '100000');
  await insertLease(control, INSTANCE);
  const random = new RandomBudgets(control, accountId, Number(BUDGET_SEED));
  let windows = 0;
  for (let step = 0; step < Number(BUDGET_STEPS); step++) {
    await random.step();
    const rows = await control.sql`SELECT id, held, spent FROM budget_windows`;
    const stored = new Map(rows.map(({ id, held, spent }) => [String(id), [String(held), String(spent)]]));
    for (const [id, { held, spent }] of random.model.windows) {
      const found = stored.get(id) ?? ['0', '0'];
      expect({ step, id, found }).toEqual({ step, id, found: [String(held), String(spent)] });
    }
    windows = rows.length;
  }
  process.stdout.write(`${JSON.stringify({ BUDGET_SEED, done: random.done, windows })}\n`);
  expect((await poolsOf(control).verify()).disagreements).toEqual([]);
});
