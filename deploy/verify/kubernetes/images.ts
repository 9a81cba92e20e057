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
/** Images of the test databases. */
const BACKING = ['postgres:17-bookworm', 'redis:7-bookworm'];
const BUILD_TIMEOUT_MS = 900_000;

/** The images of a release. */
export interface Images {
  /** `model-gateway`, or with a registry: `registry.example.com/model-gateway`. */
  prefix: string;
  tag: string;
}

export function imageName({ prefix, tag }: Images, image: (typeof IMAGES)[number]): string {
  return `${prefix}/${image}:${tag}`;
}

/** Builds all images. @param source the folder of another copy of the repository */
export async function buildImages(images: Images, signal: AbortSignal, source = ROOT): Promise<void> {
  for (const target of IMAGES) {
    const args = ['build', '--quiet', '--file', `${source}/deploy/Dockerfile`, '--target', target];
    await run('docker', [...args, '--tag', imageName(images, target), source], {
      signal,
      timeoutMs: BUILD_TIMEOUT_MS,
    });
  }
}

/**
 * Copies images from this machine to the nodes in one call.
 * @param command such as `kind load docker-image` or `minikube image load`; gets the names as arguments
 */
export async function loadImages(
  command: string,
  releases: readonly Images[],
  signal: AbortSignal,
): Promise<void> {
  const names = releases.flatMap((images) => IMAGES.map((image) => imageName(images, image)));
  await run('sh', ['-c', `exec ${command} "$@"`, 'load', ...names, ...BACKING], {
    signal,
    timeoutMs: BUILD_TIMEOUT_MS,
  });
}
