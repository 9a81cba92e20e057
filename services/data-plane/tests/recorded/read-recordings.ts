import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const EVENTS_SUFFIX = '.chunks.txt';

/** A recorded response of a provider. */
export interface Recording {
  name: string;
  isStreamed: boolean;
  /** The whole response, or the JSON of each event of a stream. */
  pieces: string[];
}

/** Reads the recordings in a folder of RECORDED_ANSWERS; there are none where it has no such folder. */
export function readRecordings(folder: string): Recording[] {
  const files = globSync(join(process.env.RECORDED_ANSWERS ?? '', folder, `*{.json,${EVENTS_SUFFIX}}`));
  return files.sort().map((file) => {
    const text = readFileSync(file, 'utf8');
    const isStreamed = file.endsWith(EVENTS_SUFFIX);
    const pieces = isStreamed ? text.split('\n').filter((line) => line.trim() !== '') : [text];
    return { name: basename(file), isStreamed, pieces };
  });
}
