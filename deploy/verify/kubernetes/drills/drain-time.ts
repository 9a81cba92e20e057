import { setTimeout as wait } from 'node:timers/promises';
import { createAccount } from '../../account.ts';
import { isWhole, summary } from '../../load.ts';
import { ClusterLoad } from '../cluster-load.ts';
import type { Trial } from '../trial.ts';

/** DRAIN_TIMEOUT_MS of the base. */
const DRAIN_S = 30;
const WORDS_A_SECOND = 10;
/** Time from the start of the streams to the deletion of their pods. */
const AFTER_S = 4;
const GONE_MS = 90_000;

/** Checks that a deleted pod lets streams end within the drain time, cuts longer ones, and exits in time. */
export async function drainTime({ installation, check }: Trial): Promise<void> {
  const { clients, gateway } = installation;
  const account = await createAccount(installation, 'draining', { unlimited: true });
  // The pre-stop wait of 5 s comes on top of both.
  const lengths = { short: DRAIN_S + AFTER_S - 4, long: DRAIN_S + AFTER_S + 30 };
  const load = (seconds: number) =>
    new ClusterLoad(clients, gateway, {
      key: account.key,
      workers: { stream: 6 },
      words: seconds * WORDS_A_SECOND,
      pauseMs: 60_000,
    });
  await using short = load(lengths.short);
  await using long = load(lengths.long);
  await wait(AFTER_S * 1_000);

  const pods = (await gateway.pods('data-plane')).map(({ metadata }) => metadata.name);
  const grace = ['--output', 'jsonpath={.spec.template.spec.terminationGracePeriodSeconds}'];
  const graceSeconds = Number(await gateway.kubectl('get', 'deployment', 'data-plane', ...grace));
  const deletedAt = performance.now();
  await gateway.kubectl('delete', 'pod', ...pods, '--wait=false');
  // Ended pods are listed only for a moment.
  const ends = new Map<string, number>();
  await gateway.until('the deleted pods are gone', GONE_MS, async () => {
    const now = await gateway.allPods('data-plane');
    for (const { metadata, status } of now) {
      const code = status.containerStatuses[0]?.state.terminated?.exitCode;
      if (code !== undefined) ends.set(metadata.name, code);
    }
    return now.every(({ metadata }) => !pods.includes(metadata.name));
  });
  const seconds = (performance.now() - deletedAt) / 1_000;
  const [whole, cut] = [await short.stop(), await long.stop()];

  check(
    `streams of ${lengths.short} s in a pod that ends`,
    whole.length > 0 && whole.every(isWhole),
    summary(whole),
  );
  check(
    `streams of ${lengths.long} s in a pod that ends are cut`,
    cut.length > 0 && cut.every(({ status, isWhole }) => status === 200 && !isWhole),
    summary(cut),
  );
  const killed = [...ends]
    .filter(([, code]) => code !== 0)
    .map(([name, code]) => `${name}: exit code ${code}`);
  check(
    'the pods end by themselves within their grace period',
    killed.length === 0 && seconds < graceSeconds,
    killed.join(', ') || `gone after ${seconds.toFixed(0)} of ${graceSeconds} s`,
  );
  await gateway.untilReplicas('data-plane', pods.length, GONE_MS);
}
