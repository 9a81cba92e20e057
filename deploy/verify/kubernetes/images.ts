import { fileURLToPath } from 'node:url';
import { run } from '../command.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
export const IMAGES = [
  'data-plane',
  'control-plane',
  'migrate',
  'catalog',
  'dashboard',
  'gatewayctl',
  'simulated-provider',
] as const;
/** Images of the databases of the test installation. */
const BACKING = ['postgres:17-bookworm', 'redis:7-bookworm'];
const BUILD_TIMEOUT_MS = 900_000;

/** Where the images of a release are found. */
export interface Images {
  /** `model-gateway`, or with a registry: `registry.example.com/model-gateway`. */
  prefix: string;
  tag: string;
}

export function nameOf({ prefix, tag }: Images, image: (typeof IMAGES)[number]): string {
  return `${prefix}/${image}:${tag}`;
}

/** Builds the images of a copy of the repository. @param source its folder; this one unless given */
export async function buildImages(images: Images, signal: AbortSignal, source = ROOT): Promise<void> {
  for (const target of IMAGES) {
    const args = ['build', '--quiet', '--file', `${source}/deploy/Dockerfile`, '--target', target];
    await run('docker', [...args, '--tag', nameOf(images, target), source], {
      signal,
      timeoutMs: BUILD_TIMEOUT_MS,
    });
  }
}

/**
 * Brings images from this machine to the nodes, all in one call.
 * @param command gets their names as arguments, such as `kind load docker-image` or `minikube image load`
 */
export async function loadImages(
  command: string,
  releases: readonly Images[],
  signal: AbortSignal,
): Promise<void> {
  const names = releases.flatMap((images) => IMAGES.map((image) => nameOf(images, image)));
  await run('sh', ['-c', `exec ${command} "$@"`, 'load', ...names, ...BACKING], {
    signal,
    timeoutMs: BUILD_TIMEOUT_MS,
  });
}
