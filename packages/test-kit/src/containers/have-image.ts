import { withPatience } from '@model-gateway/service-kit';
import { type ContainerRuntimeClient, ImageName } from 'testcontainers';

const PULL_TIMEOUT_MS = 60_000;

/** Fetches the image unless the engine has it. @throws when it cannot be had, or not in time */
export async function haveImage(engine: ContainerRuntimeClient, name: string): Promise<void> {
  const image = ImageName.fromString(name);
  if (await engine.image.exists(image)) return;
  const seconds = PULL_TIMEOUT_MS / 1_000;
  process.stderr.write(`Fetching the image ${name}, for ${seconds} s at most.\n`);
  await withPatience(
    engine.image.pull(image),
    PULL_TIMEOUT_MS,
    () => new Error(`the image ${name} did not arrive within ${seconds} s`),
  );
  // A pull that breaks off in the middle ends without an error.
  if (!(await engine.image.exists(image))) throw new Error(`the image ${name} did not arrive`);
}
