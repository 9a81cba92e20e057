import type { Images } from '../images.ts';
import { judge, type Trial, underLoad } from '../trial.ts';

interface Releases {
  previous: Images;
  /** A copy of the previous release, whose manifests are applied first. */
  previousSource: string;
  current: Images;
}

/** Installs the previous release, and upgrades to this one under load. */
export async function upgrade(trial: Trial, { previous, previousSource, current }: Releases): Promise<void> {
  const { installation } = trial;
  await installation.install(previous, { source: previousSource });
  await installation.applyCatalog(previous);
  const startedAt = performance.now();
  const result = await underLoad(trial, 'upgrade', () => installation.install(current));
  const seconds = (performance.now() - startedAt) / 1_000;
  await judge(trial, 'upgrade from the previous release', { ...result, note: `${seconds.toFixed(0)} s` });
}
