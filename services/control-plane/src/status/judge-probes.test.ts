import { expect, it } from 'vitest';
import { judgeProbes, type Probe } from './judge-probes.ts';

const changedAt = new Date();
const ok: Probe = { outcome: 'ok', failures: 0, changedAt };
const refused: Probe = { outcome: 'refused', failures: 0, changedAt };
const failed = (failures: number): Probe => ({ outcome: 'failed', failures, changedAt });

it.each<[string, Probe[]]>([
  ['operational', [ok]],
  ['operational', [ok, ok]],
  ['degraded_performance', [failed(1)]],
  ['degraded_performance', [ok, refused]],
  ['partial_outage', [ok, failed(2)]],
  ['partial_outage', [failed(1), failed(2)]],
  ['major_outage', [failed(2)]],
  ['major_outage', [failed(2), failed(30)]],
])('a provider without traffic is %s by %j', (status, probes) => {
  expect(judgeProbes(probes)).toBe(status);
});
