import { withPatience } from '@model-gateway/service-kit';
import { type ContainerRuntimeClient, ImageName } from 'testcontainers';

const PULL_TIMEOUT_MS = 60_000;

/**
 * Resolves when the engine has the image; fetches it where it is missing.
 * @throws when it cannot be fetched, or not in time
 */
export async function ensureImage(engine: ContainerRuntimeClient, name: string): Promise<void> {
  const image = ImageName.fromString(name);
  if (await engine.image.exists(image)) return;
  const seconds = PULL_TIMEOUT_MS / 1_000;
  process.stderr.write(`Fetching the image ${name}, for ${seconds} s at most.\n`);
  await withPatience(
    engine.image.pull(image),
    PULL_TIMEOUT_MS,
    () => new Error(`the image ${name} did not arrive within ${seconds} s`),
  );
  // An interrupted pull ends without an error.
  if (!(await engine.image.exists(image))) throw new Error(`the image ${name} did not arrive`);
}
