/** A number of 64 bits that all requests of a conversation share, on every data plane. */
export interface AffinityKey {
  high: number;
  low: number;
}

/** Multiplier of the 32-bit FNV-1a hash. */
const FNV_PRIME = 0x01000193;
const UINT32 = 2 ** 32;

/**
 * Sorts members in the order in which a conversation prefers them (weighted rendezvous hashing). Each member
 * comes first for a share of conversations in proportion to its weight. Two members keep their order whatever
 * the others are, so a missing member moves only its own conversations, and gets them back.
 * @param idOf returns a stable id, the same on every data plane
 */
export function rankMembers<Member extends { weight: number }>(
  members: readonly Member[],
  key: AffinityKey,
  idOf: (member: Member) => string,
): Member[] {
  return members
    .map((member) => ({ member, distance: distanceOf(idOf(member), member.weight, key) }))
    .sort((one, other) => one.distance - other.distance)
    .map(({ member }) => member);
}

/** Returns a random key, for a request that belongs to no conversation. */
export function randomKey(random: () => number = Math.random): AffinityKey {
  return { high: Math.floor(random() * UINT32), low: Math.floor(random() * UINT32) };
}

/** Hashes a text to 32 evenly spread bits. Not cryptographic: SHA-256 would take ten times as long. */
export function hashText(text: string, seed: number): number {
  let hash = seed;
  for (let index = 0; index < text.length; index++)
    hash = Math.imul(hash ^ text.charCodeAt(index), FNV_PRIME);
  return mix(hash);
}

/** Converts the hash to an exponential variate whose rate is the weight: the smallest wins in proportion. */
function distanceOf(id: string, weight: number, { high, low }: AffinityKey): number {
  const uniform = (mix(hashText(id, low) ^ high) + 0.5) / UINT32;
  return -Math.log(uniform) / weight;
}

/** Finalizer of MurmurHash3: every bit of the input changes half of the output. */
function mix(value: number): number {
  let hash = value;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
