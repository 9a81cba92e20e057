import { join } from 'node:path';
import { SKETCH_STAGES, WHOLE_SKETCH } from '../wire/sketch-stages.ts';
import { startServer } from './own-targets.ts';
import { type PeerOptions, type RunningPeer, SOME_KEY } from './peer.ts';

const START_MS = 10_000;

/** Starts the sketch of a gateway with its stages up to this one. */
export async function startSketch(options: PeerOptions, stage: number = WHOLE_SKETCH): Promise<RunningPeer> {
  const { cores, environment, keysFile, logDir, providerUrl, redisUrl } = options;
  const name = stage === WHOLE_SKETCH ? 'sketch' : `sketch ${stage}`;
  const file = name.replace(' ', '-');
  const { program, url } = await startServer({
    environment,
    logDir,
    cores,
    name: file,
    file: 'bench/src/programs/sketch.ts',
    args: [`${stage}`, providerUrl, join(logDir, `${file}-access.log`), ...(redisUrl ? [redisUrl] : [])],
  });
  const target = {
    name,
    says: `a sketch of a gateway, stage ${stage}: ${SKETCH_STAGES[stage]}`,
    origin: url,
    headers: keysFile === undefined ? SOME_KEY : {},
    ...(keysFile === undefined ? {} : { keysFile }),
    pid: program.pid,
    isOurs: false,
  };
  return { program, readyUrl: `${url}/`, startMs: START_MS, target };
}
