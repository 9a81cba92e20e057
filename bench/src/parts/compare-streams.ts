import { z } from 'zod';
import type { Bench } from '../bench.ts';
import type { StreamsResult } from '../load/job.ts';
import type { Target } from '../targets/target.ts';

const sentStreams = z.record(z.string(), z.tuple([z.number(), z.number()]));

/** Returns the number of bytes and the checksum of each stream that the provider sent since the last call. */
export async function takeSentStreams(providerUrl: string) {
  const response = await fetch(`${providerUrl}/streams`);
  return sentStreams.parse(await response.json());
}

/**
 * Compares what arrived with what was sent, by number of bytes and checksum.
 * @returns how many streams differ; a different stream of a target of ours fails the run (correctness.ts)
 */
export async function compareStreams(bench: Bench, target: Target, result: StreamsResult): Promise<number> {
  const sent = await takeSentStreams(bench.providerUrl);
  const received = Object.entries(result.received);
  const different = received.filter(([name, [bytes, crc]]) => {
    const [sentBytes, sentCrc] = sent[name] ?? [];
    return bytes !== sentBytes || crc !== sentCrc;
  }).length;
  const brokenOff = Object.values(result.failures).reduce((sum, count) => sum + count, 0);
  if (target.isOurs) bench.countStreams(target, { equal: received.length - different, different, brokenOff });
  return different;
}
