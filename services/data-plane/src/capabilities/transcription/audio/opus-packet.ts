const MILLISECONDS = 1_000;
const SILK_MS = [10, 20, 40, 60];
const HYBRID_MS = [10, 20];
const CELT_MS = [2.5, 5, 10, 20];

/**
 * Returns the duration of an Opus packet; its first bytes give frame count and length (RFC 6716, section 3).
 */
export function opusSeconds(packet: Buffer): number {
  const [toc, count = 0] = packet;
  if (toc === undefined) return 0;
  const config = toc >> 3;
  const frameMs =
    config < 12 ? SILK_MS[config & 3] : config < 16 ? HYBRID_MS[config & 1] : CELT_MS[config & 3];
  const frames = (toc & 3) === 0 ? 1 : (toc & 3) < 3 ? 2 : count & 0x3f;
  return ((frameMs ?? 0) * frames) / MILLISECONDS;
}
