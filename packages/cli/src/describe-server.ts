import type { KnownServer } from '@model-gateway/contracts';

/** This many characters of an installation's UUID tell two of them apart. */
const NAME_LENGTH = 8;

/** Says where calls go: `localhost:50051 ([::1]:50051), installation 3f2a9c01`. */
export function describeServer({ address, peer, installation }: KnownServer): string {
  const where = peer === address ? address : `${address} (${peer})`;
  return installation === undefined
    ? `${where}, of an older release, trusted without a proof`
    : `${where}, installation ${installation.slice(0, NAME_LENGTH)}`;
}
