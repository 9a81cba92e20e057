import { z } from 'zod';
import { createAccount } from '../../account.ts';
import { smoke } from '../../smoke.ts';
import type { Images } from '../images.ts';
import { PortForward } from '../port-forward.ts';
import type { Trial } from '../trial.ts';

const events = z.object({
  items: z.array(
    z.object({
      reason: z.string(),
      message: z.string().default(''),
      involvedObject: z.object({ kind: z.string(), name: z.string() }),
    }),
  ),
});
const DATA_PLANE_PORT = 8080;

/** Installs from nothing, applies a catalog, and does what a client does on its first day. */
export async function firstSteps({ installation, check }: Trial, images: Images): Promise<void> {
  const startedAt = performance.now();
  await installation.install(images);
  const seconds = (performance.now() - startedAt) / 1_000;
  check('installed, everything ready', true, `${seconds.toFixed(0)} s`);

  const found = await installation.gateway.kubectl(
    ...['get', 'events', '--field-selector', 'type=Warning', '--output', 'json'],
  );
  // The numbers of an autoscaler come a minute after the pods.
  const warnings = events
    .parse(JSON.parse(found))
    .items.filter(({ involvedObject }) => involvedObject.kind !== 'HorizontalPodAutoscaler');
  const told = warnings.map(
    ({ involvedObject, reason, message }) => `${involvedObject.name} ${reason}: ${message}`,
  );
  check('no warnings in the events of a start', told.length === 0, told.join('; ') || 'none');

  const applied = await installation.applyCatalog(images);
  check('catalog applied by the Job', true, applied.trim().split('\n').at(-1) ?? '');

  const account = await createAccount(installation, 'smoke', { unlimited: true });
  await using forwarded = await PortForward.open(installation.gateway, 'data-plane', DATA_PLANE_PORT);
  await smoke(`http://127.0.0.1:${forwarded.port}`, account, check);
}
