import { createAccount } from '../../account.ts';
import { smoke } from '../../smoke.ts';
import type { Images } from '../images.ts';
import { PortForward } from '../port-forward.ts';
import type { Trial } from '../trial.ts';

const DATA_PLANE_PORT = 8080;

/** Installs the gateway, applies a catalog, and uses every endpoint once. */
export async function firstSteps({ installation, check }: Trial, images: Images): Promise<void> {
  const startedAt = performance.now();
  await installation.install(images);
  const seconds = (performance.now() - startedAt) / 1_000;
  check('installed, everything ready', true, `${seconds.toFixed(0)} s`);

  const applied = await installation.applyCatalog(images);
  check('catalog applied by the Job', true, applied.trim().split('\n').at(-1) ?? '');

  const account = await createAccount(installation, 'smoke', { unlimited: true });
  await using forwarded = await PortForward.open(installation.gateway, 'data-plane', DATA_PLANE_PORT);
  await smoke(`http://127.0.0.1:${forwarded.port}`, account, check);
}
