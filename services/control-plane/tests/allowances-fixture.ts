import { randomUUID } from 'node:crypto';
import { until } from '@model-gateway/test-kit';
import { at, CALL_DEADLINE_MS, type ControlPlanes } from './control-planes-fixture.ts';
import type { Watch } from './key-watch-fixture.ts';
import { poolsOf } from './pools-fixture.ts';

/** The amounts that a test asks for, in nano-USD. */
export interface AskedFor {
  needs?: number[];
  spare?: number;
  returned?: number;
}

export interface GivenBack {
  returned?: number;
  recall?: number;
  close?: boolean;
  /** The default is everything that the test's data plane has been told of. */
  granted?: number;
}

/** Creates an account with a pool. */
export async function newPayer(control: ControlPlanes, includedUsd: string, resets = 'never') {
  const accountId = `acct_${randomUUID()}`;
  await control.query('INSERT INTO accounts (id, email, name) VALUES ($1, $2, $3)', [
    accountId,
    `${accountId}@example.com`,
    'Payer',
  ]);
  const { id: pool } = await poolsOf(control).add(
    { kind: 'account', id: accountId },
    { includedUsd, resets },
  );
  return { accountId, pool };
}

/** A data plane's side of one allowance. */
export class TestAllowance {
  readonly id = randomUUID();
  readonly instanceId: string;
  readonly #control: ControlPlanes;
  readonly #accountId: string;
  readonly #isLent: boolean;
  #granted = 0;

  /**
   * @param instanceId the id of a key watch, on whose lease the allowance depends; by default a lease that
   *   does not end during a test
   */
  constructor(control: ControlPlanes, accountId: string, instanceId?: string) {
    this.#control = control;
    this.#accountId = accountId;
    this.#isLent = instanceId === undefined;
    this.instanceId = instanceId ?? randomUUID();
  }

  /** What its data plane asks. */
  question({ needs = [], spare = 0, returned = 0 }: AskedFor = {}) {
    const { id: allowanceId, instanceId } = this;
    const payer = [{ kind: 'account', id: this.#accountId }];
    return { allowanceId, instanceId, payer, needs, spare, returned };
  }

  async acquire(asked: AskedFor = {}, plane = 0) {
    if (this.#isLent) {
      await this.#control.query(
        `INSERT INTO key_watchers (instance_id, control_plane_id, acked_revision, lease_until)
         VALUES ($1, 'test', 0, now() + interval '1 hour') ON CONFLICT DO NOTHING`,
        [this.instanceId],
      );
    }
    const answer = await at(this.#control.callers, plane).callOnce(
      CALL_DEADLINE_MS,
      'billing',
      'acquireAllowance',
      this.question(asked),
    );
    this.#granted = Math.max(this.#granted, Number(answer.granted));
    return answer;
  }

  giveBack({ returned = 0, recall = 0, close = false, granted = this.#granted }: GivenBack = {}, plane = 0) {
    return at(this.#control.callers, plane).callOnce(CALL_DEADLINE_MS, 'billing', 'returnAllowance', {
      allowanceId: this.id,
      returned,
      recall,
      close,
      granted,
    });
  }

  /** Returns the number of a recall that its data plane hears of. */
  async recallHeard(watch: Watch): Promise<number> {
    const find = () => watch.events.findLast(({ recall }) => recall?.allowanceId === this.id)?.recall?.recall;
    await until(() => find() !== undefined);
    return find() ?? 0;
  }

  /** Returns what the database says about the allowance. */
  async stored() {
    const [row] = await this.#control.query(
      `SELECT granted, returned, closed_at IS NOT NULL AS closed,
         (SELECT coalesce(sum(held), 0)::bigint FROM allowance_parts WHERE allowance_id = allowances.id) AS held
       FROM allowances WHERE id = $1`,
      [this.id],
    );
    return row;
  }
}

export async function poolBooks(control: ControlPlanes, id: string) {
  const [row] = await control.query('SELECT included, remaining, held, charged FROM pools WHERE id = $1', [
    id,
  ]);
  return row;
}

/** Makes the data plane silent for longer than an allowance lives. */
export async function loseDataPlane(control: ControlPlanes, instanceId: string): Promise<void> {
  await control.query(
    `UPDATE key_watchers SET lease_until = now() - interval '10 s' WHERE instance_id = $1`,
    [instanceId],
  );
  await control.query(`UPDATE allowances SET used_at = now() - interval '1 min' WHERE instance_id = $1`, [
    instanceId,
  ]);
}
