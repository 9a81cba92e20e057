import type { Command } from 'commander';
import { buildProgram } from '../src/program.ts';

/** The commands themselves, to be looked at and not run. */
export function programOf(): Command {
  return buildProgram({
    environment: {},
    defaultDataDir: '/nonexistent',
    writeOut: () => undefined,
    writeError: () => undefined,
    readStdin: async () => '',
  });
}
