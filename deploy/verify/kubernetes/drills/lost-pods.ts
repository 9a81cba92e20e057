import { setTimeout as wait } from 'node:timers/promises';
import { isWhole, isWholeOrUnavailable, type Outcome } from '../../load.ts';
import type { Images } from '../images.ts';
import { killProcess } from '../kill-process.ts';
import { judge, type Trial, underLoad } from '../trial.ts';

const BEFORE_MS = 3_000;
const READY_MS = 120_000;
/** Covers finding another control plane after one is killed. */
const SLOWEST_MS = 8_000;

/** Sends no free requests: they wait for no commit, so a crash can lose the records of the last ones. */
const PAID = { workers: { stream: 16, paid: 10 } };

/** Requests at the killed process get no response, or part of one. */
const isAllowedAtKilled = (outcome: Outcome) =>
  isWholeOrUnavailable(outcome) ||
  outcome.status === 0 ||
  (outcome.kind === 'stream' && outcome.status === 200);

/** Pods are deleted, deleted by force, and killed, under load. */
export async function lostPods(trial: Trial, images: Images): Promise<void> {
  const { gateway } = trial.installation;
  for (const name of ['data-plane', 'control-plane'] as const) {
    const replicas = (await gateway.pods(name)).length;
    const lose = async (how: (pod: string) => Promise<unknown>) => {
      await wait(BEFORE_MS);
      const { metadata } = await gateway.readyPod(name);
      await how(metadata.name);
      await gateway.untilReplicas(name, replicas, READY_MS);
      await wait(BEFORE_MS);
    };
    const deleted = await underLoad(trial, `${name}-deleted`, () =>
      lose((pod) => gateway.kubectl('delete', 'pod', pod, '--wait=false')),
    );
    await judge(trial, `a pod of ${name} is deleted`, { ...deleted, slowestMs: SLOWEST_MS });

    const forced = await underLoad(
      trial,
      `${name}-forced`,
      () => lose((pod) => gateway.tryKubectl('delete', 'pod', pod, '--force', '--grace-period=0')),
      PAID,
    );
    await judge(trial, `a pod of ${name} is deleted by force`, {
      ...forced,
      slowestMs: SLOWEST_MS,
      allows: name === 'data-plane' ? isAllowedAtKilled : isWholeOrUnavailable,
    });

    const what = `a process of ${name} is killed`;
    let refused: string | undefined;
    const killed = await underLoad(
      trial,
      `${name}-killed`,
      () =>
        lose(async (pod) => {
          refused = await killProcess(gateway, pod, images);
        }),
      PAID,
    );
    if (refused !== undefined) {
      trial.skip(what, refused);
      continue;
    }
    const hurt = killed.outcomes.filter((outcome) => !isWhole(outcome)).length;
    await judge(trial, what, {
      ...killed,
      slowestMs: SLOWEST_MS,
      allows: name === 'data-plane' ? isAllowedAtKilled : isWholeOrUnavailable,
      note: `${hurt} of ${killed.outcomes.length} hurt`,
    });
  }
}
