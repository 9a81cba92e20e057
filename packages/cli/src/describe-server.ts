import type { KnownServer } from '@model-gateway/contracts';

/** So many characters of an installation's UUID are enough to recognize it. */
const NAME_LENGTH = 8;

/** Describes the server of the calls: `localhost:50051 ([::1]:50051), installation 3f2a9c01`. */
export function describeServer({ address, peer, installation }: KnownServer): string {
  const where = peer === address ? address : `${address} (${peer})`;
  return installation === undefined
    ? `${where}, of an older release, trusted without a proof`
    : `${where}, installation ${installation.slice(0, NAME_LENGTH)}`;
}
