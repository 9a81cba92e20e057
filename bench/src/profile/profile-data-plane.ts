import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '@model-gateway/test-kit/free-port';
import { z } from 'zod';
import type { Gateway } from '../gateway/gateway.ts';
import { warmKeys } from '../gateway/warm-keys.ts';
import type { LoadGenerator } from '../load/load-generator.ts';
import type { Plan } from '../plan.ts';
import type { PartResult } from '../results/part-result.ts';
import { numberText } from '../results/statistics.ts';
import { gatewayTarget } from '../targets/own-targets.ts';
import { trafficTo } from '../targets/target.ts';
import { type CpuProfile, cpuProfile, selfTimes } from './cpu-profile.ts';
import { Inspector } from './inspector.ts';

const SMALL = { requestBytes: 1_000, answerBytes: 1_000, chunks: 0, intervalMs: 0 };
const SAMPLE_US = 200;
const TOP = 25;

const stopped = z.object({ profile: cpuProfile.loose() });

/**
 * Measures where the data plane spends its time in the closed loop. It uses a process of its own, because
 * sampling costs something, and begins when the code is warm, because the cost of a request is wanted and not
 * that of a start.
 */
export async function profileDataPlane(
  gateway: Gateway,
  load: LoadGenerator,
  plan: Plan,
  folder: string,
  stamp: string,
): Promise<{ part: PartResult; file: string }> {
  const port = await freePort();
  await gateway.startDataPlane([`--inspect=127.0.0.1:${port}`]);
  const target = gatewayTarget(gateway, plan.keys);
  await warmKeys(load, target, plan.keys);
  const { connections } = plan;
  const { warmUpMs, measureMs } = plan.profile;
  const traffic = trafficTo(target, SMALL);
  await load.closedLoop({ traffic, connections, warmUpMs: 0, measureMs: warmUpMs });
  using inspector = await Inspector.connect(port);
  await inspector.call('Profiler.enable');
  await inspector.call('Profiler.setSamplingInterval', { interval: SAMPLE_US });
  await inspector.call('Profiler.start');
  const { measured } = await load.closedLoop({ traffic, connections, warmUpMs: 0, measureMs });
  const { profile } = stopped.parse(await inspector.call('Profiler.stop'));
  await mkdir(folder, { recursive: true });
  const file = join(folder, `${stamp}.cpuprofile`);
  await writeFile(file, JSON.stringify(profile));
  return { part: table(profile, measured), file };
}

function table(profile: CpuProfile, requests: number): PartResult {
  const rowsOf = (by: 'file' | 'function' | 'owner') =>
    selfTimes(profile, by)
      .slice(0, TOP)
      .map(({ name, ms, share }) => [
        name,
        numberText(share * 100, 1),
        numberText((ms * 1_000) / Math.max(1, requests), 1),
      ]);
  return {
    name: 'profile',
    title: 'Profile of the data plane',
    note:
      `Sampled over ${numberText(requests, 0)} requests of the closed loop; time in the code itself, ` +
      'without what it calls. First under the file of this repository that it was spent for, then under ' +
      'the file and the function that spent it. (program) is what is no JavaScript: system calls, the ' +
      'HTTP parser, the event loop.',
    columns: ['Where', 'Self %', 'µs per request'],
    rows: [...rowsOf('owner'), ['—', '', ''], ...rowsOf('file'), ['—', '', ''], ...rowsOf('function')],
    rounds: {},
  };
}
